"""`bfcl-pipeline watch` beside a job of its own, and without a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from tests.support.local_chat import LocalChat, local_chat

COMMAND = [sys.executable, "-m", "bfcl_pipeline.cli"]
COVERAGE = (
    "run,model,category,status,entries\nmine,a,simple_java,answered,90\nmine,b,simple_java,skipped,10\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refusing() -> Iterator[LocalChat]:
    """A server that answers every request with a rate limit."""
    with local_chat() as server:
        server.behave(faults=1.0, only="429")
        yield server


def test_a_job_that_waits_says_why(folder: Path, staged: Path, refusing: LocalChat) -> None:
    """The pause, the kind of the failed attempts and the server's words, while the job goes on."""
    row = f"{{name: m-FC, kind: openai_chat, endpoint: '{refusing.endpoint}'}}"
    Path("models.yaml").write_text(f"models:\n  - {row}\n")
    generate = [*COMMAND, "generate", "--run", "mine", "--model", "m-FC", "--models", "models.yaml"]
    generate += [
        "--data",
        str(staged.resolve()),
        "--cache",
        "x",
        "--category",
        "simple_java",
        "--sample",
        "9",
    ]
    generate += [
        "--progress-out",
        ".snakemake/progress/results/mine/logs/generate/m-FC.log",
        "--out",
        "out",
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(generate, stderr=subprocess.DEVNULL, env=environment) as job:
        try:
            refusing.wait_for(1)
            with subprocess.Popen(
                [*COMMAND, "watch", "mine", "--json"], stdout=subprocess.PIPE, text=True
            ) as watching:
                progress = _first_pause(watching)
                watching.terminate()
        finally:
            job.kill()
    assert progress["wait_seconds"] >= 1
    assert progress["wait_reason"] == "the server is too busy"
    assert progress["errors"]["rate limit"] >= 1
    assert "429" in progress["last_error"]
    assert (progress["budget"], progress["entries_done"], progress["entries_total"]) == (None, 0, 9)


def _first_pause(watching: subprocess.Popen[str]) -> dict[str, Any]:
    assert watching.stdout is not None
    for line in watching.stdout:
        progress: dict[str, Any] = json.loads(line)["models"][0]["progress"]
        if progress["wait_seconds"] is not None:
            return progress
    raise AssertionError("the watch ended before")


def test_a_run_made_elsewhere_is_shown_from_its_tables(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No progress file is needed; it is said that its tables are the source."""
    Path("results/mine/tables").mkdir(parents=True)
    Path("results/mine/tables/coverage.csv").write_text(COVERAGE)
    Path("results/mine/report.html").touch()
    assert main(["watch", "results/mine"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Run mine: 2 models, 90 answered, 10 skipped, by its tables; done",
        "  a: finished",
        "  b: finished",
        "  Models: 2 finished",
        "Report: results/mine/report.html",
    ]
    assert main(["watch", "mine", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["phase"], state["at_work"], state["report"]) == (
        "done",
        False,
        "results/mine/report.html",
    )


@pytest.mark.parametrize("coverage", [None, "", "a,b\n1,2\n", "model,status,entries\na,answered,many\n"])
def test_a_run_without_any_state_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], coverage: str | None
) -> None:
    """One line that says how to start it."""
    tables = Path("results/mine/tables")
    tables.mkdir(parents=True)
    if coverage is not None:
        (tables / "coverage.csv").write_text(coverage)
    assert main(["watch", "mine"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "no run is at work, and it has no tables yet. Start it: bfcl-pipeline run." in line


def test_an_unknown_run_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With and without a name."""
    assert main(["watch", "nope"]) == 1
    assert "no run 'nope'" in capsys.readouterr().err
    assert main(["watch"]) == 1
    assert "Name one: watch RUN." in capsys.readouterr().err
