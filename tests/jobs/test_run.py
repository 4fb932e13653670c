"""Running a job from Python, as a notebook does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bfcl_pipeline.config import Job, JobPaths, ReplaySource, Selection, load_models
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.jobs.run import run_job
from bfcl_pipeline.records import Status

ROWS = load_models(Path(__file__).parent / "models.yaml")


def job(staged: Path, model: str = "oracle", **fields: object) -> Job:
    """Three entries of a category."""
    selection = Selection(sample={"simple_java": 3})
    given = {"categories": ("simple_java",), "paths": JobPaths(data=staged), **fields}
    return Job(row=ROWS[model], run="mine", selection=selection, **given)  # type: ignore[arg-type]


def test_a_job_returns_its_entries_with_their_responses(staged: Path) -> None:
    """A record in, records out, and a line on the result for the caller to print."""
    lines: list[str] = []
    completed = run_job(job(staged), log=lines.append)
    assert [one.response.entry_id for one in completed] == [one.entry.entry_id for one in completed]
    assert {(one.response.model, one.response.run, one.response.status) for one in completed} == {
        ("oracle", "mine", Status.ANSWERED)
    }
    (line,) = lines
    assert line.startswith("oracle simple_java: 3 entries, ")


def test_a_job_runs_inside_an_event_loop(staged: Path) -> None:
    """A notebook has a loop of its own in the thread that calls."""

    async def notebook() -> int:
        return len(run_job(job(staged)))

    assert asyncio.run(notebook()) == 3


def test_a_replay_without_records_has_no_answers(staged: Path, tmp_path: Path) -> None:
    """Nothing is sent: each entry is not recorded, and the lines report it."""
    paths = JobPaths(data=staged, journals=tmp_path)
    lines: list[str] = []
    completed = run_job(job(staged, "org/chat-FC", replay=ReplaySource(), paths=paths), log=lines.append)
    assert {one.response.status for one in completed} == {Status.NOT_RECORDED}
    assert lines[0] == "org/chat-FC: replayed 3 entries: 0 answered."
    assert lines[1].startswith("org/chat-FC: not recorded: 3 entries. The first, ")


def test_a_served_model_needs_its_server(staged: Path, tmp_path: Path) -> None:
    """The error names the command that serves it."""
    paths = JobPaths(data=staged, journals=tmp_path)
    with pytest.raises(ConfigError, match="bfcl-pipeline serve local"):
        run_job(job(staged, "local", paths=paths))


def test_a_budget_needs_prices(staged: Path, tmp_path: Path) -> None:
    """Without them nothing would ever reach it."""
    row = ROWS["org/chat-FC"]
    unpriced = type(row)(name="m-FC", kind=row.kind, mode=row.mode, display_name="m", endpoint=row.endpoint)
    one = job(staged, paths=JobPaths(data=staged, journals=tmp_path))
    with pytest.raises(ConfigError, match="a budget needs prices"):
        run_job(Job(row=unpriced, categories=one.categories, run="r", budget=1.0, paths=one.paths))
