"""`bfcl-pipeline stage` as a user meets it."""

from __future__ import annotations

from bfcl_pipeline.benchmark import release
from bfcl_pipeline.cli import main


def test_stage_writes_the_data_folder(staged, tmp_path, capsys):
    """The command stages a local wheel and tells its progress on stderr only."""
    wheel = staged / "release" / release.WHEEL
    assert main(["stage", "--data", str(tmp_path / "data"), "--source", str(wheel)]) == 0
    assert (tmp_path / "data" / "entries" / "simple_python.parquet").is_file()
    told = capsys.readouterr()
    assert "simple_python: 400 entries" in told.err
    assert told.out == ""


def test_stage_prints_what_is_wrong(tmp_path, capsys):
    """A wheel with another hash is one line on stderr, exit status 1, and no traceback."""
    wheel = tmp_path / "other.whl"
    wheel.write_bytes(b"other")
    assert main(["stage", "--data", str(tmp_path / "data"), "--source", str(wheel)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bfcl-pipeline stage: {wheel}: not the pinned release: expected sha256")
