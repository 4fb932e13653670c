"""`bfcl-pipeline export` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one model, with tables."""
    return made_up_tables(tmp_path, [MadeUpModel("a", {"multiple": marks(1)})])


def test_a_table_is_written_and_its_path_printed(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line on stderr is the path of the file."""
    out = tmp_path / "table.tex"
    assert main(["export", str(run), "--form", "latex", "--out", str(out)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == str(out)
    assert r"\toprule" in out.read_text(encoding="utf-8")


def test_a_model_and_rules_can_be_chosen(run: Path, tmp_path: Path) -> None:
    """`--model` and `--rules` reach the form."""
    out = tmp_path / "table.md"
    words = ["export", str(run), "--form", "markdown", "--out", str(out)]
    assert main([*words, "--rules", "corrected", "--model", "a"]) == 0
    assert "corrected rules" in out.read_text(encoding="utf-8")
