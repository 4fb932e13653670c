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


def test_a_run_without_any_state_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line that says how to start it."""
    Path("results/mine").mkdir(parents=True)
    assert main(["watch", "mine"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "no run is at work, and it has no report. Start it: bfcl-pipeline run." in line


def test_an_unknown_run_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With and without a name."""
    assert main(["watch", "nope"]) == 1
    assert "no run 'nope'" in capsys.readouterr().err
    assert main(["watch"]) == 1
    assert "Name one: watch RUN." in capsys.readouterr().err
