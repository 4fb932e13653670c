"""Proposed changes of the errata as patches: git applies them, and they change nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, ErrataError, StagingError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.errata import Erratum, by_record, errata, errata_of, verified_entry
from bfcl_pipeline.benchmark.errata.ledger import read_record
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.staging.literals import read_texts
from bfcl_pipeline.benchmark.staging.outputs import read_all_entries
from bfcl_pipeline.benchmark.staging.release_files import truths_file
from bfcl_pipeline.benchmark.staging.source import Release, contents_sha256, read_folder
from bfcl_pipeline.benchmark.staging.verified_release import (
    REPOSITORY_FOLDER,
    bundle,
    edited_files,
    write_bundle,
)
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.audit import DETECTORS, Benchmark, find
from bfcl_pipeline.world.tools import Constants

FIRST = {"at": ["ground_truth", 0, 0], "remove": True}


def record(
    *entry_ids: str, defect: str = "truth", edits: Sequence[Any] = (), number: int = 1
) -> list[Erratum]:
    """The errata of one confirmed record."""
    content = {
        "entries": list(entry_ids),
        "defect": defect,
        "status": "confirmed",
        "what": f"The truth is wrong: “é” {number % 10}.",
        "why": "From the question, another answer follows, as every reader of this reason sees at once.",
        "evidence": "bfcl-pipeline audit {entry}",
        "faithful": "fails",
        "threads": [1367],
        "propose": list(edits) or "exclude",
    }
    return list(read_record(f"file, record {number}", content))


PLANTED = [
    *record("multi_turn_base_143", "multi_turn_miss_func_143", edits=[FIRST]),
    *record("memory_kv_0-customer-0", "memory_vector_0-customer-0", "memory_rec_sum_0-customer-0",
            edits=[{"at": ["ground_truth"], "add": "é"}], number=2),
    *record("web_search_base_26", "web_search_no_snippet_26",
            edits=[{"at": ["ground_truth"], "add": "é"}], number=3),
    *record("live_simple_196-116-4", edits=[
            {"at": ["question", 0, 0, "content"], "old": "Monday", "new": "Tuesday"},
            {"at": ["function", 0], "set": {"description": "é"}},
            {"at": ["ground_truth"], "add": {}}], number=4),
    *record("simple_python_399", edits=[{"at": ["ground_truth"], "add": {}}], number=5),  # the last line
    *record("simple_python_398", edits=[{"at": ["ground_truth"], "add": {}}], number=15),  # same patch
    *record("simple_python_0", number=7),
    *record("live_irrelevance_883-883-0", edits=[{"at": ["function"], "add": {}}], number=8),
]  # fmt: skip
"""Errata of lines without line feed, with characters beyond ASCII, and of the files of all kinds."""


class Repository:
    """The data files of the release in a git repository, as the benchmark has them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / REPOSITORY_FOLDER

    def commit(self, files: Mapping[str, bytes]) -> None:
        """Makes the repository with these files in its first commit."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "release")

    def git(self, *arguments: str | Path) -> str:
        """The output of git, which must succeed, without the configuration of the machine."""
        person = {
            f"GIT_{who}_{what}": "x@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.root), *map(str, arguments)]
        environment = {**os.environ, **own, **person}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory, real_release: Release) -> Path:
    """The folder of a repository with the release; read-only."""
    root = tmp_path_factory.mktemp("committed") / "repository"
    Repository(root).commit(real_release.files)
    return root


@pytest.fixture
def repository(tmp_path: Path, committed: Path) -> Repository:
    """A repository with the release, which a test may change."""
    return Repository(Path(shutil.copytree(committed, tmp_path / "repository")))


@pytest.fixture
def written(tmp_path: Path, staged: Path) -> Callable[[Sequence[Erratum]], list[Path]]:
    """Writes a bundle and returns its patches in order."""

    def write(of: Sequence[Erratum]) -> list[Path]:
        folder = tmp_path / "bundle"
        count = write_bundle(folder, staged, of)
        patches = sorted(folder.glob("*.patch"))
        assert len(patches) == count
        return patches

    return write


@pytest.fixture(scope="module")
def ledger_bundle(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Path:
    """The bundle of the project's own errata."""
    folder = tmp_path_factory.mktemp("ledger") / "bundle"
    write_bundle(folder, staged, errata())
    return folder


@pytest.fixture(scope="module")
def mended(real_release: Release) -> Release:
    """The release with all edits of the project's own errata."""
    return Release("mended", after(real_release, errata()))


def after(release: Release, of: Sequence[Erratum]) -> dict[str, bytes]:
    """The files of the release with all edits."""
    files = dict(release.files)
    for errata_of_record in by_record(of):
        files |= edited_files(files, errata_of_record)
    return files


def test_git_applies_a_bundle(repository, real_release, written):
    """`git am` commits the patches one by one, `git apply` takes all; both give the edited files."""
    assert_applies(written(PLANTED), repository, after(real_release, PLANTED))


def test_git_applies_the_bundle_of_the_ledger(repository, ledger_bundle, mended):
    """So are the patches of the project's own errata, each on those before it."""
    assert_applies(sorted(ledger_bundle.glob("*.patch")), repository, mended.files)


def assert_applies(patches: Sequence[Path], repository: Repository, files: Mapping[str, bytes]) -> None:
    expected = contents_sha256(files)
    repository.git("apply", "--whitespace=error-all", *patches)
    read_folder(repository.folder, expected)
    repository.git("checkout", "--quiet", ".")
    repository.git("am", "--quiet", *patches)
    read_folder(repository.folder, expected)
    assert repository.git("rev-list", "--count", "HEAD") == f"{len(patches) + 1}\n"
    assert repository.git("status", "--porcelain") == ""


def test_a_patch_still_applies_when_its_surroundings_have_changed(repository, written):
    """The patches name the contents of the files, so that git can merge them with other changes."""
    first, *_ = written(record("simple_python_399", edits=[{"at": ["ground_truth"], "add": {}}]))
    path = repository.folder / str(truths_file("simple_python"))
    lines = path.read_bytes().split(b"\n")
    lines[-4] = lines[-4].replace(b'"ground_truth"', b'"ground_truth" ')
    path.write_bytes(b"\n".join(lines))
    repository.git("commit", "--quiet", "--all", "--message", "another change")
    repository.git("am", "--quiet", "--3way", first)
    assert path.read_bytes().endswith(b", {}]}")


def test_the_message_of_a_commit_has_the_evidence(repository, written):
    """What, why, the edits, the command and the threads are in it; author and date are constants."""
    patches = written(PLANTED)
    repository.git("am", "--quiet", *patches)
    log = repository.git("log", "--max-count", "1", "--format=%an|%aI|%B", f"HEAD~{len(patches) - 1}")
    assert log.strip() == (
        "bfcl-pipeline|2026-03-23T00:00:00+00:00|BFCL: fix multi_turn_base_143 and 1 more (truth)\n\n"
        "The truth is wrong: “é” 1.\n\n"
        "From the question, another answer follows, as every reader of this\n"
        "reason sees at once.\n\n"
        "Changes:\n  multi_turn_base_143\n  multi_turn_miss_func_143\n    ground_truth[0][0]: remove\n\n"
        "Evidence:\n  bfcl-pipeline audit multi_turn_base_143\n\n"
        "See also:\n  https://github.com/ShishirPatil/gorilla/issues/1367"
    )


@pytest.mark.parametrize(
    ("entry_id", "value", "inserted"),
    [
        ("simple_python_399", {}, b", {}"),  # the last line, without line feed
        ("live_multiple_131-50-3", "\u00e9", b', "\\u00e9"'),
        ("memory_kv_0-customer-0", "\u00e9", b', "\\u00e9"'),
        ("web_search_base_0", "\u00e9", b', "\xc3\xa9"'),
        ("memory_kv_13-customer-13", "\u00e9", b', "\xc3\xa9"'),
        ("web_search_base_26", "\u00e9", b', "\xc3\xa9"'),  # separators of two styles
    ],
)
def test_only_the_edited_value_differs(entry_id, value, inserted, real_release):
    """A changed line has the bytes of the old one and the new value in their style; other lines stay."""
    ((name, content),) = edited_files(
        real_release.files, record(entry_id, edits=[{"at": ["ground_truth"], "add": value}])
    ).items()
    pairs = zip(real_release.files[name].split(b"\n"), content.split(b"\n"), strict=True)
    ((old, new),) = [pair for pair in pairs if pair[0] != pair[1]]
    start = next(place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    assert new == old[:start] + inserted + old[start:]


def test_entries_that_share_a_line_are_one_change(written):
    """A memory question is one line for three categories, so its proposal is made once."""
    patches = written(PLANTED)
    (memory,) = [path for path in patches if "memory" in path.name]
    changed = [line for line in memory.read_bytes().split(b"\n") if line.startswith(b'+{"id"')]
    assert len(changed) == 1
    assert json.loads(changed[0][1:])["ground_truth"].count("é") == 1


def test_the_patched_release_has_the_mended_entries(real_release, entries, mended, constants: Constants):
    """Entries of the patched files are as `verified` mends them; the detectors find less in them."""
    before = {name: entries(name) for name in CATEGORIES}
    now = read_all_entries(mended, read_texts(real_release))
    for name in CATEGORIES:
        for old, new in zip(before[name], now[name], strict=True):
            expected = verified_entry(old)
            if isinstance(expected, Entry):
                assert new == expected
            else:
                assert (new != old) == any(erratum.edits for erratum in errata_of(old) if erratum.confirmed)
    changed = {(each.entry_id, each.defect) for each in errata() if each.confirmed and each.edits}
    wanted = [name for name in DETECTORS if name in {defect for _, defect in changed}]
    ids = {entry_id for entry_id, _ in changed}
    found, left = (
        Counter((each.entry_id, each.detector) for each in find(Benchmark(audited, constants), wanted, ids))
        for audited in (before, now)
    )
    assert changed & found.keys()
    kept = [key for key in changed if left[key] and left[key] >= found[key]]
    assert kept == []  # an entry may also differ from a variant where that is no defect


def test_equal_errata_give_equal_bytes(real_release):
    """Nothing of the machine or the time is in a bundle, and each patch has its line in the README."""
    first = bundle(real_release, PLANTED)
    assert bundle(real_release, PLANTED) == first
    readme = first["README.md"].decode()
    assert len(first) == 7
    assert all(f"| `{name}` |" in readme for name in first if name != "README.md")
    assert "| `simple_python_0` |" in readme.partition("## Entries that should be rewritten")[2]


def test_the_command_writes_the_bundle_of_the_ledger(tmp_path, staged, ledger_bundle, capsys):
    """`audit --patch` writes the patches and the README, and prints how many there are."""
    folder = tmp_path / "bundle"
    assert main(["audit", "--data", str(staged), "--patch", str(folder)]) == 0
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written == {path.name: path.read_bytes() for path in ledger_bundle.iterdir()}
    assert f"{len(written) - 1} patches; README.md lists them." in capsys.readouterr().err


def test_an_earlier_bundle_is_replaced(tmp_path, written):
    """A patch of a record that is gone does not stay."""
    written(PLANTED)
    assert len(written(PLANTED[:2])) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


@pytest.mark.parametrize("name", ["notes.txt", "0001-other.patch"])
def test_other_files_are_not_replaced(name, tmp_path, written):
    """A folder with anything but an earlier bundle is refused and stays as it is."""
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / name).write_text("mine")
    with pytest.raises(ConfigError, match=r"bundle: contains .*\. Name a new folder"):
        written(PLANTED)
    assert [path.name for path in (tmp_path / "bundle").iterdir()] == [name]


def test_a_file_is_not_replaced(tmp_path, written):
    """The bundle is a folder."""
    (tmp_path / "bundle").write_text("mine")
    with pytest.raises(ConfigError, match="bundle: not a folder"):
        written(PLANTED)


def test_nothing_is_written_if_an_edit_does_not_fit(tmp_path, written):
    """The error names entry, file and line, and an earlier bundle stays."""
    written(PLANTED)
    before = {path: path.read_bytes() for path in (tmp_path / "bundle").iterdir()}
    wrong = record("simple_python_3", edits=[{"at": ["ground_truth", 7], "remove": True}])
    with pytest.raises(ErrataError, match=r"simple_python_3: .*simple_python\.json:4: there is nothing at"):
        written([*PLANTED[:2], *wrong])
    assert {path: path.read_bytes() for path in (tmp_path / "bundle").iterdir()} == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (record("simple_python_999", edits=[FIRST]), "has no line with the id simple_python_999"),
        (record("irrelevance_0", edits=[FIRST]), "irrelevance has no file of truths"),
        (
            record("live_multiple_1051-278-0", edits=[{"at": ["ground_truth"], "add": 1}]),
            "a style that cannot",
        ),
        (record("simple_python_3", edits=[{"at": ["question"], "remove": True}]), "a style that cannot"),
    ],
)
def test_edits_that_no_line_can_have_are_errors(wrong, message, real_release):
    """An unknown id, a category without truths, and a line whose style would be lost."""
    with pytest.raises(ErrataError, match=message):
        edited_files(real_release.files, wrong)


def test_patches_need_the_wheel(tmp_path):
    """Data that was staged from a folder has no copy of the release; the error says how to get one."""
    with pytest.raises(StagingError, match=r"2026\.3\.23.*: missing\. .*bfcl-pipeline stage"):
        write_bundle(tmp_path / "bundle", tmp_path, PLANTED)
    assert not (tmp_path / "bundle").exists()
