"""Commands that take the archive of a run in place of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.share.archive.small_run import SmallRun


def test_an_archive_is_read_like_its_run(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table, exports and figures are those of the run, and it is stated what was checked."""
    shown = []
    for source in (small_run.results, archived):
        out = tmp_path / source.name
        capsys.readouterr()
        assert main(["table", str(source)]) == 0
        printed = capsys.readouterr()
        shown.append(printed.out.partition("\nReport:")[0].strip())
        assert main(["export", str(source), "--form", "markdown", "--out", str(out / "t.md")]) == 0
        assert main(["figures", str(source), "--out", str(out / "figures")]) == 0
        checked = f"{archived}: seal and sha256 of what is read are right" in printed.err
        assert checked == (source == archived)
    assert shown[0] == shown[1]
    made = [tmp_path / source.name for source in (small_run.results, archived)]
    files = [{path.relative_to(out): path.read_bytes() for path in out.glob("**/*.*")} for out in made]
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
