"""Running a job from Python, as a notebook does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, JobPaths, Selection, load_models
from bfcl_pipeline.benchmark.records import Status
from tests.support.local_chat import local_chat

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
    completed = run_job(job(staged, "org/chat-FC", replay=True, paths=paths), log=lines.append)
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


@pytest.mark.parametrize("model", ["org/chat-FC", "local"])
def test_a_model_that_cannot_be_used_leaves_its_entries_unanswered(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """With `keep_going` the reason is the status of every entry, sessions included; else it is an error."""
    row = replace(ROWS[model], key="BFCL_TEST_KEY") if model != "local" else ROWS[model]
    monkeypatch.delenv("BFCL_TEST_KEY", raising=False)
    selection = Selection(sample={"simple_java": 2, "memory_kv": 1})
    one = Job(
        row=row,
        run="r",
        categories=("simple_java", "memory_kv"),
        selection=selection,
        paths=JobPaths(data=staged, journals=tmp_path),
    )
    with pytest.raises(ConfigError) as error:
        run_job(one)
    lines: list[str] = []
    completed = run_job(one, log=lines.append, keep_going=True)
    assert {entry.response.status for entry in completed} == {Status.INFRASTRUCTURE_ERROR}
    assert all(str(error.value) in str(entry.response.status_detail) for entry in completed)
    assert len(completed) > 3
    assert "without an answer" in lines[0]


def test_recorded_answers_are_kept_without_a_key(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the journal answers is answered although the model cannot be asked any more."""
    monkeypatch.setenv("BFCL_TEST_KEY", "sk-test-0123456789")
    with local_chat() as server:
        row = replace(ROWS["org/chat-FC"], key="BFCL_TEST_KEY", endpoint=server.endpoint)
        paths = JobPaths(data=staged, journals=tmp_path)
        one = Job(
            row=row,
            run="r",
            categories=("simple_java",),
            selection=Selection(sample={"simple_java": 3}),
            paths=paths,
        )
        first = run_job(one)
    monkeypatch.delenv("BFCL_TEST_KEY")
    more = replace(one, selection=Selection(sample={"simple_java": 5}))
    responses = [entry.response for entry in run_job(more, keep_going=True)]
    assert [r for r in responses if r.status is Status.ANSWERED] == [entry.response for entry in first]
    failed = [r for r in responses if r.status is not Status.ANSWERED]
    assert len(failed) == 2
    assert all("BFCL_TEST_KEY is not set" in str(r.status_detail) for r in failed)
