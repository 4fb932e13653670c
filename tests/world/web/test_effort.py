"""What web questions need of the real web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation.web_counts import hops_of
from bfcl_pipeline.ask.jobs.web_effort import (
    HOPS_OF_A_QUESTION,
    SearchesLeft,
    effort_text,
    left_by_model,
    left_text,
    seconds_of_search,
)
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, WebChoice
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.world.web.coverage import web_keys


def test_the_mean_of_hops_is_that_of_the_release(staged: Path) -> None:
    """Of both categories, which ask the same questions."""
    for category in GROUPS["web_search"]:
        hops = [hops_of(entry) for entry in read_entries(entries_path(staged, category))]
        assert sum(hops) / len(hops) == HOPS_OF_A_QUESTION


@pytest.mark.parametrize("engine", SEARCH_ENGINES)
def test_a_search_takes_a_pause_for_each_of_its_pages(engine: str) -> None:
    """The time grows with the pause, and is none for the paid service."""
    assert seconds_of_search(WebChoice(engine=engine, pause=0.0)) == 0.0
    times = [seconds_of_search(WebChoice(engine=engine, pause=pause)) for pause in (1.0, 4.0)]
    assert times == ([0.0, 0.0] if engine == "serpapi" else [times[0], 4 * times[0]])
    assert times[0] in (0.0, 3.0)


def test_the_effort_in_words() -> None:
    """Searches, pages and the least time; without pauses no time is claimed."""
    assert effort_text(314, WebChoice()) == (
        "about 314 searches and as many pages, at least 31 min by duckduckgo at web_pause 2"
    )
    assert effort_text(1, WebChoice(engine="serpapi")) == "about 1 search and as many pages"
    assert left_text(2, 6.4, WebChoice()) == (
        "2 web questions are left: about 6 searches and as many pages, at least 36 s by duckduckgo at "
        "web_pause 2. What is recorded is not searched again."
    )


def response(model: str, status: Status, searches: int, web: str = "record") -> Response:
    """A response with so many searches."""
    calls = [{"search_engine_query": json.dumps({"keywords": str(one)})} for one in range(searches)]
    result = json.dumps([[calls]]) if status is Status.ANSWERED else None
    return Response("web_search_base_0", "web_search_base", Mode.FC, result, status, model=model, web=web)


def test_what_is_left_follows_from_what_a_model_needed() -> None:
    """At the mean of its own answered questions, if there are enough; else one search for a hop."""
    answered = [response("a", Status.ANSWERED, searches) for searches in (2, 4, 6)]
    failed = [response(name, Status.INFRASTRUCTURE_ERROR, 0) for name in ("a", "a", "b")]
    others = [
        response("c", Status.CONTEXT_OVERFLOW, 0),
        response("d", Status.INFRASTRUCTURE_ERROR, 0, "simulated"),
    ]
    assert left_by_model([*answered, *failed, *others], web_keys) == {
        "a": SearchesLeft(2, 8.0),
        "b": SearchesLeft(1, HOPS_OF_A_QUESTION),
    }
