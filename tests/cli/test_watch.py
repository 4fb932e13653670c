"""`bfcl-pipeline watch` without a run at work; beside one it is tested in `tests/workflow`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_made_elsewhere_is_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No progress file is needed if it has a report."""
    Path("results/mine").mkdir(parents=True)
    Path("results/mine/report.html").touch()
    assert main(["watch", "results/mine"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Run mine: made elsewhere; done",
        "Report: results/mine/report.html",
    ]
    assert main(["watch", "mine", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["phase"], state["at_work"], state["report"]) == (
        "done",
        False,
        "results/mine/report.html",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mine"], "no run is at work, and it has no report. Start it: bfcl-pipeline run."),
        (["nope"], "no run 'nope'"),
        ([], "Name one: watch RUN."),
    ],
)
def test_what_cannot_be_watched_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    Path("results/mine").mkdir(parents=True)
    assert main(["watch", *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
