"""`bfcl-pipeline table`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one model, with tables and no report."""
    return made_up_tables(tmp_path, [MadeUpModel("a", {"multiple": marks(1)})])


def test_it_ends_with_the_path_of_the_report(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line is the path of the report; without a report, the command that writes it."""
    assert main(["table", str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"No report yet: bfcl-pipeline report {run}"
    (run / "report.html").touch()
    assert main(["table", str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"Report: {run}/report.html"


def test_it_is_plain_text_in_a_pipe(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No escape sequence is written to a pipe."""
    assert main(["table", str(run)]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert " ".join(text.splitlines()[2].split()) == "1 a (FC) 2.50* 0.5–2.5 25.00*"


def test_it_loads_no_heavy_library(run: Path) -> None:
    """It starts fast because neither polars nor pyarrow is imported."""
    code = (
        "import sys; from bfcl_pipeline.cli import main; main(sys.argv[1:]); "
        "print([name for name in ('polars', 'pyarrow', 'jinja2') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, "table", str(run)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"
