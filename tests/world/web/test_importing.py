"""Records from elsewhere: checked before anything is written, merged by rule, consistent at any moment."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import LeaseError, WebError
from bfcl_pipeline.base.leases import Lease
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES, RecordedOutcome, WebCache
from bfcl_pipeline.world.web.check import ReaderChanged
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.importing import (
    LOCK,
    Conflicts,
    ImportDone,
    ImportPlan,
    carry_out,
    import_record,
    plan_import,
)
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey, digest
from bfcl_pipeline.world.web.recording import Recorder
from tests.world.web.two_records import add, tree

TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://a.example/")
OTHER = FetchKey("http://b.example/")
KILLED = Path(__file__).with_name("killed_import.py")


def proven(recorded: RecordedOutcome, cassette: bytes | None) -> None:
    """In the place of the check, which needs cassettes of real traffic."""


def nothing(name: str, content: bytes) -> Iterable[str]:
    """Finds no secrets."""
    return ()


def merge(
    theirs: WebCache, ours: WebCache, rule: Conflicts = Conflicts.KEEP, **more: bool
) -> tuple[ImportPlan, ImportDone | None]:
    """Imports without checking cassettes."""
    return import_record(theirs.folder, ours, rule, scan=nothing, prove=proven, **more)


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
    plan, done = merge(theirs, empty)
    assert (len(plan.new), done) == (3, ImportDone(3))
    assert tree(empty.folder) == tree(theirs.folder)
    plan, done = merge(theirs, empty)
    assert (plan.same, plan.writes, done) == (3, 0, ImportDone())
    assert tree(empty.folder) == tree(theirs.folder)


@pytest.mark.parametrize(
    ("rule", "minute", "text"),
    [
        (Conflicts.KEEP, 1, "ours"),
        (Conflicts.KEEP, 9, "ours"),
        (Conflicts.NEWER, 1, "theirs"),
        (Conflicts.NEWER, 5, "ours"),  # a tie
        (Conflicts.NEWER, 9, "ours"),
        (Conflicts.OLDER, 1, "ours"),
        (Conflicts.OLDER, 5, "ours"),  # a tie
        (Conflicts.OLDER, 9, "theirs"),
    ],
)
def test_the_rule_decides_conflicts(
    theirs: WebCache, tmp_path: Path, rule: Conflicts, minute: int, text: str
) -> None:
    """Another outcome of the same key is listed; ours stays unless the rule prefers theirs."""
    ours = WebCache(tmp_path / "ours")
    add(ours, PAGE, Page("ours"), minute)
    plan, _ = merge(theirs, ours, rule)
    assert ours.find(PAGE) == Page(text)
    assert len(plan.kept) + len(plan.replaced) == 1
    assert bool(plan.replaced) == (text == "theirs")
    [pair] = [*plan.kept, *plan.replaced]
    assert pair.ours.recording == f"2026-10-01 12:0{minute}+00:00, page of 4 characters"
    assert pair.theirs.recording == "2026-10-01 12:05+00:00, page of 6 characters"
    found = survey(ours)
    assert (found.leftovers, found.cassettes_missing, found.damaged) == (0, 0, [])


def test_a_dry_run_writes_nothing(theirs: WebCache, tmp_path: Path) -> None:
    """The plan is the same, and not even the folder is created."""
    plan, done = merge(theirs, WebCache(tmp_path / "none"), dry_run=True)
    assert (len(plan.new), done) == (3, None)
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
    """A changed byte, a link, a pipe or a huge file is named; only --partial imports the rest."""
    assert callable(damage)
    [path] = theirs.path(TEA).parent.glob(f"*{suffix}")
    damage(path)
    before = tree(ours.folder)
    plan, done = merge(theirs, ours)
    assert done is None
    assert plan.refused
    assert all(path.stem[:64] in line for line in plan.refused)
    assert tree(ours.folder) == before
    _, done = merge(theirs, ours, partial=True)
    assert done == ImportDone(1)
    assert (ours.find(TEA), ours.find(OTHER)) == (None, WebFailure("404"))


def test_an_outcome_with_the_cassette_of_another_is_refused(theirs: WebCache, ours: WebCache) -> None:
    """The name of a cassette begins with the name of its outcome."""
    [cassette] = theirs.path(PAGE).parent.glob("*.yaml")
    renamed = f"{theirs.path(TEA).stem}.{cassette.name.split('.')[1]}.yaml"
    path = theirs.path(PAGE)
    _rewrite(path, cassette=renamed)
    cassette.rename(cassette.with_name(renamed))
    plan, done = merge(theirs, ours)
    assert done is None
    assert "the cassette of another outcome" in plan.refused[0]


def _rewrite(path: Path, **changes: object) -> None:
    document = {**json.loads(path.read_text()), **changes}
    del document["sha256"]
    path.write_text(json.dumps({**document, "sha256": digest(document)}, indent=1) + "\n")


def test_a_contradiction_is_refused(theirs: WebCache, ours: WebCache) -> None:
    """An outcome that its cassette does not prove is named with the reason and not imported."""

    def check(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
        return "the body says 'tee'" if recorded.key == TEA else None

    plan, done = import_record(theirs.folder, ours, Conflicts.KEEP, scan=nothing, prove=check)
    assert done is None
    assert len(plan.refused) == 1
    assert "search for 'tea' (region 'wt-wt'): the body says 'tee'" in plan.refused[0]


def test_missing_and_undecided_cassettes_are_imported_and_listed(theirs: WebCache, ours: WebCache) -> None:
    """Without its cassette, or with one of another version of the reader, an outcome is listed."""

    def check(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
        raise ReaderChanged("recorded by version 0")

    other = FetchKey("http://c.example/")
    add(theirs, other, Page("text"), 5, b"version: 1\ninteractions: []\n")
    for key in (TEA, PAGE):
        for cassette in theirs.path(key).parent.glob("*.yaml"):
            cassette.unlink()
    plan, done = import_record(theirs.folder, ours, Conflicts.KEEP, scan=nothing, prove=check)
    assert done == ImportDone(3)
    assert len(plan.missing) == 2
    assert any("search for 'tea'" in line for line in plan.missing)
    assert len(plan.undecided) == 2
    add(theirs, FetchKey("http://d.example/"), Page("text"), 5, b"no cassette\n")
    plan, done = import_record(theirs.folder, ours, Conflicts.KEEP, scan=nothing, prove=check)
    assert done is None
    assert "fetch of 'http://d.example/': its cassette cannot be read" in plan.refused[0]


def test_a_missing_cassette_of_ours_is_added(theirs: WebCache, tmp_path: Path) -> None:
    """Of an equal outcome, the cassette is restored that somebody deleted here."""
    ours = WebCache(tmp_path / "ours")
    merge(theirs, ours)
    for cassette in ours.path(PAGE).parent.glob("*.yaml"):
        cassette.unlink()
    plan, _ = merge(theirs, ours)
    assert (len(plan.completed), plan.same) == (1, 2)
    assert tree(ours.folder) == tree(theirs.folder)


def test_evidence_is_not_replaced_by_none(theirs: WebCache, tmp_path: Path) -> None:
    """An equal outcome without its cassette never replaces ours, whatever the times."""
    ours = WebCache(tmp_path / "ours")
    add(ours, PAGE, Page("theirs"), 3, b"evidence\n")
    for cassette in theirs.path(PAGE).parent.glob("*.yaml"):
        cassette.unlink()
    plan, _ = merge(theirs, ours, Conflicts.NEWER)
    assert plan.renewed == []
    assert survey(ours).cassettes_missing == 0


def test_another_cassette_of_the_same_name_is_refused(theirs: WebCache, tmp_path: Path) -> None:
    """A cassette here is never overwritten, and the outcome that came with the other one is refused."""
    ours = WebCache(tmp_path / "ours")
    merge(theirs, ours)
    _rewrite(ours.path(PAGE), outcome={"kind": "page", "text": "ours"}, cassette_sha256=_sha256(b"mine\n"))
    [cassette] = ours.path(PAGE).parent.glob("*.yaml")
    cassette.write_bytes(b"mine\n")
    before = tree(ours.folder)
    _rewrite(theirs.path(PAGE), recorded_at="2026-10-02T12:00:00+00:00")
    plan, done = merge(theirs, ours, Conflicts.NEWER)
    assert done is None
    assert "exists with another content" in plan.refused[0]
    assert tree(ours.folder) == before


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_damage_of_ours_is_named(theirs: WebCache, ours: WebCache) -> None:
    """A damaged outcome here is neither used nor replaced."""
    ours.path(PAGE).write_bytes(b"{}")
    plan, done = merge(theirs, ours)
    assert done is None
    assert str(ours.path(PAGE)) in plan.refused[0]


def test_secrets_are_listed(theirs: WebCache, ours: WebCache) -> None:
    """Every outcome and cassette is searched, under its own name."""
    seen: list[str] = []

    def scan(name: str, content: bytes) -> list[str]:
        seen.append(name)
        return ["a key"] if content == b"evidence\n" else []

    plan, done = import_record(theirs.folder, ours, Conflicts.KEEP, scan=scan, prove=proven)
    assert plan.secrets == ["a key"]
    assert done == ImportDone(2)
    assert sorted(seen) == sorted(name.split("/")[-1] for name in tree(theirs.folder))


def test_a_run_that_records_meanwhile_loses_nothing(theirs: WebCache, tmp_path: Path) -> None:
    """An outcome that is recorded between the check and the writing stays, with its cassette only."""

    fresh = WebCache(tmp_path / "fresh")
    plan = plan_import(theirs.folder, fresh, Conflicts.NEWER, nothing, proven)
    Recorder(fresh).outcome(TEA, "run 1", lambda: Hits(()))
    assert carry_out(plan, fresh) == ImportDone(2, 0, meanwhile=1)
    assert fresh.find(TEA) == Hits(())
    assert survey(fresh).leftovers == 0


def test_what_a_run_was_given_stays(tmp_path: Path) -> None:
    """Of keys that an import adds while 8 threads record them, all see the one outcome that is kept."""
    keys = [FetchKey(f"http://{number}.example/") for number in range(60)]
    theirs, ours = WebCache(tmp_path / "theirs"), WebCache(tmp_path / "ours")
    for key in keys:
        add(theirs, key, Page("theirs"), 5)
    recorder = Recorder(ours)
    with ThreadPoolExecutor(8) as pool:
        given = pool.map(lambda key: recorder.outcome(key, "run 1", lambda: Page("ours")), reversed(keys))
        _, done = merge(theirs, ours)
        outcomes = dict(zip(reversed(keys), given, strict=True))
    assert done is not None
    assert {key: ours.find(key) for key in keys} == outcomes
    found = survey(ours)
    assert (found.outcomes.total(), found.damaged, found.cassettes_missing, found.leftovers) == (
        60,
        [],
        0,
        0,
    )


def test_a_record_that_changes_meanwhile_is_noticed(theirs: WebCache, ours: WebCache) -> None:
    """What is written is what was checked."""
    plan = plan_import(theirs.folder, ours, Conflicts.KEEP, nothing, proven)
    [cassette] = theirs.path(TEA).parent.glob("*.yaml")
    cassette.write_bytes(b"other\n")
    with pytest.raises(WebError, match="changed while it was imported"):
        carry_out(plan, ours)
    assert ours.find(TEA) is None


def test_one_import_at_a_time(theirs: WebCache, ours: WebCache) -> None:
    """A second import into the same cache is refused and leaves the first its lock."""
    lease = Lease(ours.folder / LOCK, "imports into this web cache")
    try:
        with pytest.raises(LeaseError, match="imports into this web cache"):
            merge(theirs, ours)
    finally:
        lease.release()


def test_a_killed_import_leaves_a_consistent_cache(theirs: WebCache, tmp_path: Path) -> None:
    """Killed before any step on disk, every outcome is whole and has its cassette; a second import ends
    it."""
    ours = WebCache(tmp_path / "ours")
    add(ours, PAGE, Page("ours"), 3)
    add(ours, OTHER, WebFailure("404"), 3)
    command = [sys.executable, str(KILLED), str(theirs.folder), str(ours.folder), str(tmp_path / "work")]
    steps = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert steps > 20
    pages = set()
    for step in range(steps):
        cache = WebCache(tmp_path / "work" / str(step))
        found = survey(cache)
        assert (found.damaged, found.cassettes_missing) == ([], 0)
        pages.add(cache.find(PAGE))
        assert cache.find(OTHER) == WebFailure("404")
        assert cache.find(TEA) in (None, theirs.find(TEA))
        _, done = merge(theirs, cache, Conflicts.NEWER)
        assert done is not None
        assert {cache.find(key) for key in (TEA, PAGE, OTHER)} == {
            theirs.find(key) for key in (TEA, PAGE, OTHER)
        }
    assert pages == {Page("ours"), Page("theirs")}


_records = st.dictionaries(st.integers(0, 4), st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=5)


def _make(folder: Path, content: dict[int, tuple[int, int]], odd: int) -> WebCache:
    cache = WebCache(folder)
    for key, (text, minute) in content.items():
        add(cache, FetchKey(f"http://{key}.example/"), Page(str(text)), 2 * minute + odd)
    folder.mkdir(exist_ok=True)
    return cache


@settings(max_examples=15, deadline=None)
@given(_records, _records, st.sampled_from([Conflicts.OLDER, Conflicts.NEWER]))
def test_the_order_of_imports_does_not_matter(
    one: dict[int, tuple[int, int]], two: dict[int, tuple[int, int]], rule: Conflicts
) -> None:
    """Two records give the same bytes in either order, again and again; without conflicts, their union."""
    with tempfile.TemporaryDirectory() as made:
        first, second = _make(Path(made) / "a", one, 0), _make(Path(made) / "b", two, 1)
        both = [WebCache(Path(made) / "ab"), WebCache(Path(made) / "ba")]
        for cache, order in zip(both, ((first, second), (second, first)), strict=True):
            for record in (*order, *order):
                merge(record, cache, rule)
        merged = tree(both[0].folder)
        assert merged == tree(both[1].folder)
        if not one.keys() & two.keys():
            assert merged == tree(first.folder) | tree(second.folder)
        choose = min if rule is Conflicts.OLDER else max
        for key in one.keys() | two.keys():
            recordings = [
                (2 * content[key][1] + odd, content[key][0])
                for odd, content in enumerate((one, two))
                if key in content
            ]
            assert both[0].find(FetchKey(f"http://{key}.example/")) == Page(str(choose(recordings)[1]))
