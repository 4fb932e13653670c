"""A job that records the web, interrupted by an engine that refuses, and the next run that goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.generation.chains import hops_of
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.ask.jobs.selection import select
from bfcl_pipeline.benchmark.config import Job, JobPaths, Selection, WebChoice, load_models
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.show.screen.lines import progress_text, summary_text
from bfcl_pipeline.show.screen.progress import RateWindow, job_progress
from bfcl_pipeline.world.web import modes
from bfcl_pipeline.world.web.coverage import used_keys
from bfcl_pipeline.world.web.engines.asking import STOP_AFTER, RetryPolicy
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import Proxies
from tests.support.local_chat import LocalChat, local_chat
from tests.support.web_server import WebServer, http
from tests.world.web.engines.test_duckduckgo import numbered, page

ROWS = load_models(Path(__file__).parents[2] / "ask/jobs/models.yaml")
QUESTIONS = 100


@pytest.fixture(scope="module")
def chat() -> Iterator[LocalChat]:
    """A model that searches for words, and answers some time."""
    with local_chat() as running:
        yield running


@pytest.fixture
def engine(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> WebServer:
    """DuckDuckGo on this machine, whose refusals are retried once, without a wait."""

    def open_engine(_name: str, _proxies: Proxies, pace: HostPace, _retries: RetryPolicy) -> DuckDuckGo:
        connection = Connection(site=server.address, pace=pace)
        return DuckDuckGo(retries=RetryPolicy(attempts=2, sleep=lambda _: None), connection=connection)

    monkeypatch.setattr(modes, "open_engine", open_engine)
    monkeypatch.setattr(modes.Fetcher, "fetch", _no_fetch)
    return server


def _no_fetch(_: object, url: str) -> Any:
    raise AssertionError(url)


def job(staged: Path, folder: Path, chat: LocalChat) -> Job:
    """Web questions for the local model, one request at a time."""
    row = replace(ROWS["org/chat-FC"], endpoint=chat.endpoint)
    return Job(
        row=replace(row, limits=replace(row.limits, in_flight=1)),
        run="mine",
        categories=("web_search_base",),
        selection=Selection(sample={"web_search_base": QUESTIONS}),
        web=WebChoice(mode="record", cache=folder / "web", pause=0.0),
        paths=JobPaths(data=staged, journals=folder / "journals"),
    )


def run(job: Job) -> tuple[list[Completed], list[str], ProgressCounts]:
    """The results of a job, the lines that it prints, and its counts at the end."""
    lines: list[str] = []
    seen: list[ProgressCounts] = []

    def progress(_: str, counts: ProgressCounts) -> AbstractAsyncContextManager[object]:
        seen.append(counts)
        return nullcontext()

    return run_job(job, progress, lines.append), lines, seen[0]


def test_a_record_goes_on_where_the_engine_refused(
    staged: Path, tmp_path: Path, chat: LocalChat, engine: WebServer
) -> None:
    """After some searches the engine refuses for good: the job stops asking it and the model, says what is
    left, and the next run asks both only for what is missing."""
    good, refusal = http(page(numbered(range(30)))), http("", "202 Accepted")
    whole = tmp_path / "whole"
    engine.script("", good)
    chat.behave()
    reference, lines, counts = run(job(staged, whole, chat))
    searches = used_keys(one.response for one in reference)
    bodies = chat.counts()["bodies"]
    assert lines == []
    assert len(engine.asked) == len(searches) >= 6
    progress = job_progress("m", counts, RateWindow(), 60.0, 0.0)
    assert progress.searches_left == 0
    assert f", {progress.searches} searches" in summary_text(progress)

    engine.script("", *[good] * 3, refusal)
    engine.asked.clear()
    chat.behave()
    mine = job(staged, tmp_path / "mine", chat)
    first, lines, counts = run(mine)
    asked_first = chat.counts()["bodies"]
    at_once = 8  # conversations that are open when the engine is given up
    assert len(engine.asked) <= 3 + 2 * (STOP_AFTER + at_once)
    assert sum(asked_first.values()) < sum(bodies.values()) / 2
    failed = [one.response for one in first if one.response.status is not Status.ANSWERED]
    assert {response.status for response in failed} == {Status.INFRASTRUCTURE_ERROR}
    assert all("duckduckgo" in str(response.status_detail) for response in failed)
    assert lines[0].startswith(f"org/chat-FC: without an answer: {len(failed)} infrastructure_error")
    assert lines[1].startswith(f"org/chat-FC: {len(failed)} web questions are left: about ")
    assert lines[1].endswith("What is recorded is not searched again.")

    engine.script("", good)
    engine.asked.clear()
    second, lines, counts = run(mine)
    assert lines == []
    assert len(engine.asked) == len(searches) - 3
    together = Counter(chat.counts()["bodies"])
    assert together == Counter(bodies)
    assert set(together.values()) == {1}
    answers = [(one.response.entry_id, one.response.status, one.response.result_json) for one in second]
    assert answers == [
        (one.response.entry_id, one.response.status, one.response.result_json) for one in reference
    ]
    assert counts.replayed == sum(asked_first.values())


def test_progress_says_how_many_searches_are_left(staged: Path, tmp_path: Path, chat: LocalChat) -> None:
    """At the start, one search for each hop of the questions, and the time that they take at the pause."""
    counts = ProgressCounts()
    entries = select(staged, ("web_search_base",), Selection(sample={"web_search_base": QUESTIONS}))
    counts.web.start(entries, 6.0)
    hops = sum(map(hops_of, entries))
    assert counts.web.seconds_left == 6.0 * hops
    text = progress_text(job_progress("m", counts, RateWindow(), 1.0, 0.0))
    assert f"0 searches, about {hops} left" in text
