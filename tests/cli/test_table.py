"""`bfcl-pipeline table`."""

from __future__ import annotations

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


def test_several_runs_are_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By score, with the run in a name that occurs twice, and in notes that not all runs have."""
    runs = []
    for place, name in enumerate(("one", "two")):
        models = [
            MadeUpModel("a", {"multiple": marks(3 - place, place)}),
            MadeUpModel(f"only-{name}", {"multiple": marks(1, 3, missing=place)}),
        ]
        (tmp_path / name).mkdir()
        made = made_up_tables(tmp_path / name, models)
        runs.append(str(made.rename(tmp_path / name / name)))
    assert main(["table", *runs]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()[:4]) for line in printed[2:6]] == [
        "1 one:a (FC) 2.50*",
        "2 two:a (FC) 1.67*",
        "3 only-one (FC) 0.62*",
        "4 only-two (FC) 0.62*",
    ]
    assert "two: In no score: 1 entry without a verdict" in "\n".join(printed)
    assert printed.count("* categories not evaluated count 0, as on the leaderboard.") == 1
    assert printed[-1].startswith("#: by the overall as shown.")
    for form, row in (("latex", "one:a (FC) & 2.50*"), ("markdown", r"| one:a (FC) | 2.50\* |")):
        out = tmp_path / form
        assert main(["export", *runs, "--form", form, "--out", str(out)]) == 0
        assert row in out.read_text(encoding="utf-8")
    assert main(["export", *runs, "--form", "inspect", "--out", str(tmp_path / "no")]) == 1
    assert "latex and markdown join several in one table" in capsys.readouterr().err
