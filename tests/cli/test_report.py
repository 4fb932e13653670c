"""`bfcl-pipeline report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


def test_without_tables_it_fails_and_writes_nothing(tmp_path: Path) -> None:
    """The exit status is 1 and no file is written."""
    assert main(["report", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_page_is_written_beside_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under the chosen rules, else under those of the recorded config; unknown ones are refused."""
    run = made_up_tables(tmp_path, [MadeUpModel("a", {"multiple": marks(1)})])
    page = run / "report.html"
    assert main(["report", str(run), "--rules", "corrected"]) == 0
    assert capsys.readouterr().err == f"{page}\n"
    assert "corrected rules" in page.read_text(encoding="utf-8")
    page.unlink()
    (run / "config.yaml").write_text(recorded("rules: corrected\n"))
    assert main(["report", str(run)]) == 0
    assert "corrected rules" in page.read_text(encoding="utf-8")
    (run / "config.yaml").write_text(recorded("rules: strict\n"))
    assert main(["report", str(run)]) == 1
    assert "strict" in capsys.readouterr().err
