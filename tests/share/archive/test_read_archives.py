"""Commands that take the archive of a run in place of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.share.archive.small_run import SmallRun, make_small_run


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> SmallRun:
    """The run without the processes of Snakemake."""
    folder = tmp_path_factory.mktemp("called") / "project"
    make_small_run(folder, staged, recorded=False)
    return SmallRun(folder)


@pytest.fixture(scope="module")
def archived(small_run: SmallRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("archived") / "small.crate.zip"
    assert small_run.archive(out) == 0
    return out


def test_an_archive_is_read_like_its_run(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table, exports and figures are those of the run, and it is stated what was checked."""
    shown = []
    for source in (small_run.results, archived):
        capsys.readouterr()
        assert main(["table", str(source)]) == 0
        printed = capsys.readouterr()
        out = tmp_path / f"{source.name}.md"
        assert main(["export", str(source), "--form", "markdown", "--out", str(out)]) == 0
        shown.append((printed.out.partition("\nReport:")[0].strip(), out.read_bytes()))
        checked = f"{archived}: seal and sha256 of what is read are right" in printed.err
        assert checked == (source == archived)
    assert shown[0] == shown[1]
    assert main(["figures", str(archived), "--out", str(tmp_path / "figures")]) == 0
    files = [
        {path.name: path.read_bytes() for path in folder.glob("figures/*.svg")}
        for folder in (small_run.results, tmp_path)
    ]
    assert files[0]
    assert files[0] == files[1]
    both = tmp_path / "both.md"
    sources = [str(archived), str(small_run.results)]
    assert main(["export", *sources, "--form", "markdown", "--out", str(both)]) == 0
    assert "/small.crate.zip:" in both.read_text(encoding="utf-8")
    assert main(["figures", str(archived)]) == 1
    assert "--out" in capsys.readouterr().err


def test_records_of_an_archive_have_the_time_of_its_run(archived: Path, tmp_path: Path) -> None:
    """Two exports of an archive are equal, though it is unpacked anew for each."""
    exported = []
    for name in ("one", "two"):
        out = tmp_path / name
        assert main(["export", str(archived), "--form", "every-eval-ever", "--out", str(out)]) == 0
        exported.append({path.name: path.read_bytes() for path in out.glob("**/*.json")})
    assert exported[0]
    assert exported[0] == exported[1]
