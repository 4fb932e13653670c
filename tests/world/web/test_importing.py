"""Records from elsewhere: checked before anything is written, never overwriting, always consistent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web import check as check_module
from bfcl_pipeline.world.web import importing
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES, RecordedOutcome, WebCache
from bfcl_pipeline.world.web.check import ReaderChanged
from bfcl_pipeline.world.web.importing import Imported, import_record
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey, digest
from bfcl_pipeline.world.web.recording import Recorder
from tests.support.web_record import disorder
from tests.world.web.two_records import add, tree

TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://a.example/")
OTHER = FetchKey("http://b.example/")
KILLED = Path(__file__).with_name("killed_import.py")


@pytest.fixture(autouse=True)
def unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cassette is played, which needs those of real traffic."""
    monkeypatch.setattr(check_module, "contradiction", lambda _recorded, _cassette: None)


def found(imported: Imported) -> tuple[int, int, int]:
    """How many outcomes were new, equal, in conflict."""
    return imported.new, imported.equal, len(imported.conflicts)


@pytest.fixture
def theirs(tmp_path: Path) -> WebCache:
    """A record with a search and two pages."""
    cache = WebCache(tmp_path / "theirs")
    add(cache, TEA, Hits((Hit("t", "http://t", "b"),)), 5)
    add(cache, PAGE, Page("theirs"), 5, b"evidence\n")
    add(cache, OTHER, WebFailure("404"), 5, None)
    return cache


@pytest.fixture
def ours(tmp_path: Path) -> WebCache:
    """A record with another outcome of one of the pages."""
    cache = WebCache(tmp_path / "ours")
    add(cache, PAGE, Page("ours"), 3)
    return cache


def test_a_record_is_copied_byte_for_byte(theirs: WebCache, tmp_path: Path) -> None:
    """Into an empty cache all outcomes and cassettes are copied; a second import changes nothing."""
    empty = WebCache(tmp_path / "empty")
    for expected in ((3, 0, 0), (0, 3, 0)):
        assert found(import_record(theirs.folder, empty)) == expected
        assert tree(empty.folder) == tree(theirs.folder)


def test_ours_stays(theirs: WebCache, ours: WebCache) -> None:
    """Another outcome of a key here stays, with its cassette, and both are described."""
    before = tree(ours.folder)
    imported = import_record(theirs.folder, ours)
    assert found(imported) == (2, 0, 1)
    assert imported.conflicts == [
        "fetch of 'http://a.example/'\n"
        "    ours:   2026-10-01 12:03+00:00, page of 4 characters (kept)\n"
        "    theirs: 2026-10-01 12:05+00:00, page of 6 characters"
    ]
    assert before.items() <= tree(ours.folder).items()
    assert disorder(ours) == (0, 0, 0)


def test_a_dry_run_writes_nothing(theirs: WebCache, tmp_path: Path) -> None:
    """The same is found, and not even the folder is created."""
    assert found(import_record(theirs.folder, WebCache(tmp_path / "none"), dry_run=True)) == (3, 0, 0)
    assert not (tmp_path / "none").exists()


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _link(path: Path) -> None:
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _grow(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(LARGEST_CASSETTE_BYTES + 1)


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@pytest.mark.parametrize("damage", [_flip, _link, _pipe, _grow])
def test_a_damaged_file_is_refused(theirs: WebCache, ours: WebCache, damage: object, suffix: str) -> None:
    """For a changed byte, a link, a pipe or a huge file, which is named, nothing is imported."""
    assert callable(damage)
    [path] = theirs.path(TEA).parent.glob(f"*{suffix}")
    damage(path)
    before = tree(ours.folder)
    imported = import_record(theirs.folder, ours)
    [line] = imported.check.damaged
    assert path.name in line
    assert found(imported) == (0, 0, 0)
    assert tree(ours.folder) == before


def test_links_to_folders_are_not_followed(theirs: WebCache, tmp_path: Path) -> None:
    """A folder of a record that is a link is another file, whatever it has."""
    top = theirs.path(TEA).parent.parent
    top.rename(tmp_path / "elsewhere")
    top.symlink_to(tmp_path / "elsewhere")
    imported = import_record(theirs.folder, WebCache(tmp_path / "empty"))
    assert (imported.new, imported.others) == (2, 1)


def test_an_outcome_with_the_cassette_of_another_is_refused(theirs: WebCache, ours: WebCache) -> None:
    """The name of a cassette begins with the name of its outcome, and it has a hash."""
    [cassette] = theirs.path(PAGE).parent.glob("*.yaml")
    renamed = f"{theirs.path(TEA).stem}.{cassette.name.split('.')[1]}.yaml"
    for changes, said in (
        ({"cassette": renamed}, "the cassette of another outcome"),
        ({"cassette": None}, "a sha256 without a cassette"),
    ):
        _rewrite(theirs.path(PAGE), **changes)
        assert said in import_record(theirs.folder, ours).check.damaged[0]


def _rewrite(path: Path, **changes: object) -> None:
    document = {**json.loads(path.read_text()), **changes}
    del document["sha256"]
    path.write_text(json.dumps({**document, "sha256": digest(document)}, indent=1) + "\n")


def test_a_contradiction_is_refused(
    theirs: WebCache, ours: WebCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outcome that its cassette does not prove is named with the reason, and nothing is imported."""

    def check(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
        return "the body says 'tee'" if recorded.key == TEA else None

    monkeypatch.setattr(check_module, "contradiction", check)
    imported = import_record(theirs.folder, ours)
    [line] = imported.check.contradictions
    assert "search for 'tea' (region 'wt-wt'): the body says 'tee'" in line
    assert found(imported) == (0, 0, 0)


def test_missing_and_undecided_cassettes_are_imported_and_listed(
    theirs: WebCache, ours: WebCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its cassette, or with one of another version of the reader, an outcome is listed."""

    def check(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
        raise ReaderChanged("recorded by version 0")

    monkeypatch.setattr(check_module, "contradiction", check)
    for cassette in theirs.path(TEA).parent.glob("*.yaml"):
        cassette.unlink()
    imported = import_record(theirs.folder, ours)
    assert found(imported) == (2, 0, 1)
    assert [len(imported.check.missing), len(imported.check.undecided)] == [1, 2]
    assert "search for 'tea'" in imported.check.missing[0]


def test_another_cassette_of_the_same_name_is_refused(theirs: WebCache, tmp_path: Path) -> None:
    """A cassette here is never overwritten, and the outcome that came with the other one is not added."""
    ours = WebCache(tmp_path / "ours")
    import_record(theirs.folder, ours)
    ours.path(PAGE).unlink()
    [cassette] = ours.path(PAGE).parent.glob("*.yaml")
    cassette.write_bytes(b"mine\n")
    before = tree(ours.folder)
    with pytest.raises(WebError, match="exists with another content"):
        import_record(theirs.folder, ours)
    assert tree(ours.folder) == before


def test_damage_of_ours_is_named(theirs: WebCache, ours: WebCache) -> None:
    """A damaged outcome here is neither used nor replaced."""
    ours.path(PAGE).write_bytes(b"{}")
    with pytest.raises(WebError, match=str(ours.path(PAGE))):
        import_record(theirs.folder, ours)
    assert ours.path(PAGE).read_bytes() == b"{}"


def test_a_run_that_records_meanwhile_loses_nothing(
    theirs: WebCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outcome that is recorded while its key is copied stays, with its cassette only."""
    fresh, real = WebCache(tmp_path / "fresh"), importing.write_once

    def record_before(path: Path, content: bytes, siblings: str) -> bool:
        if path == fresh.path(TEA) and fresh.find(TEA) is None:
            Recorder(fresh).outcome(TEA, "run 1", lambda: Hits(()))
        return real(path, content, siblings)

    monkeypatch.setattr(importing, "write_once", record_before)
    assert found(import_record(theirs.folder, fresh)) == (2, 0, 1)
    assert fresh.find(TEA) == Hits(())
    assert disorder(fresh) == (0, 0, 0)


def test_what_a_run_was_given_stays(tmp_path: Path) -> None:
    """Of keys that an import adds while 8 threads record them, all see the one outcome that is kept."""
    keys = [FetchKey(f"http://{number}.example/") for number in range(60)]
    theirs, ours = WebCache(tmp_path / "theirs"), WebCache(tmp_path / "ours")
    for key in keys:
        add(theirs, key, Page("theirs"), 5)
    recorder = Recorder(ours)
    with ThreadPoolExecutor(8) as pool:
        given = pool.map(lambda key: recorder.outcome(key, "run 1", lambda: Page("ours")), reversed(keys))
        import_record(theirs.folder, ours)
        outcomes = dict(zip(reversed(keys), given, strict=True))
    assert {key: ours.find(key) for key in keys} == outcomes
    assert (len([*ours.paths()]), disorder(ours)) == (60, (0, 0, 0))


def test_a_record_that_changes_meanwhile_is_noticed(
    theirs: WebCache, ours: WebCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written is what was checked, although the other file is consistent too."""
    real = importing.check_outcomes

    def change(cache: WebCache, *arguments: object, **more: object) -> object:
        check = real(cache, *arguments, **more)  # type: ignore[arg-type]
        _rewrite(theirs.path(OTHER), outcome={"kind": "failure", "message": "500"})
        return check

    monkeypatch.setattr(importing, "check_outcomes", change)
    with pytest.raises(WebError, match="changed while it was imported"):
        import_record(theirs.folder, ours)
    assert ours.find(OTHER) is None


def test_a_killed_import_leaves_a_consistent_cache(theirs: WebCache, tmp_path: Path) -> None:
    """Killed before any step on disk, every outcome is whole and has its cassette; a second import ends
    it."""
    ours = WebCache(tmp_path / "ours")
    add(ours, PAGE, Page("ours"), 3)
    command = [sys.executable, str(KILLED), str(theirs.folder), str(ours.folder), str(tmp_path / "work")]
    steps = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert steps > 6
    for step in range(steps):
        cache = WebCache(tmp_path / "work" / str(step))
        assert disorder(cache)[:2] == (0, 0)
        assert {cache.find(key) for key in (TEA, OTHER)} <= {None, theirs.find(TEA), theirs.find(OTHER)}
        import_record(theirs.folder, cache)
        assert [cache.find(key) for key in (TEA, PAGE, OTHER)] == [
            theirs.find(TEA),
            Page("ours"),
            theirs.find(OTHER),
        ]
