"""Tokens, dollars and time of a sample."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation.chains import WorkLeft, hops_of
from bfcl_pipeline.ask.jobs.effort import (
    HOPS_OF_A_QUESTION,
    PUBLISHED,
    Consumption,
    EntryFigures,
    completed_figures,
    effort,
    left_by_model,
    left_text,
    searches_text,
    seconds_of_search,
)
from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.world.web.coverage import web_keys

ROW = ModelRow(
    name="m", kind="openai_chat", mode=Mode.FC, display_name="M", input_price=2.0, output_price=10.0
)
USED = Consumption(
    {"multiple": EntryFigures(1000, 100, 1, 4, 1), "memory_kv": EntryFigures(2000, 200, 3, 10, 1)},
    {"memory_kv": EntryFigures(10_000, 1000, 5, 50, 1)},
    "measured",
)


def test_tokens_are_charged_at_the_prices_of_the_row() -> None:
    """100 entries of 1,000 tokens in and 100 out, at 2 and 10 dollars a million."""
    found = effort({"multiple": 100}, USED, ROW)
    assert (found.input_tokens, found.output_tokens, found.requests) == (100_000, 10_000, 100)
    assert found.dollars == pytest.approx(0.30)
    assert effort({"multiple": 100}, USED, replace(ROW, input_price=None)).dollars is None
    assert effort({"multiple": 100}, USED, None).dollars is None


def test_one_memory_question_needs_all_sessions() -> None:
    """The 37 sessions run before any question, and the five chains of them one session after another."""
    found = effort({"memory_kv": 1}, USED, ROW)
    assert found.input_tokens == 37 * 10_000 + 2000
    assert found.seconds == pytest.approx(37 / 5 * 50)
    assert effort({"multiple": 1, "memory_kv": 0}, USED, ROW).requests == 1


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (RequestLimits(in_flight=8), 320 * 4 / 8),
        (RequestLimits(in_flight=1000), 4),  # the longest entry
        (RequestLimits(in_flight=1000, requests_per_minute=10), 60 * 320 / 10),
        (RequestLimits(in_flight=1000, tokens_per_minute=1000), 60 * 320 * 1100 / 1000),
    ],
)
def test_the_slowest_limit_sets_the_time(limits: RequestLimits, seconds: float) -> None:
    """Requests in flight, the longest chain, requests per minute or tokens per minute."""
    assert effort({"multiple": 320}, USED, replace(ROW, limits=limits)).seconds == pytest.approx(seconds)


def test_what_a_run_did_not_record_is_as_published() -> None:
    """The source says for which categories."""
    found = completed_figures(USED)
    assert found.entries["multiple"] == USED.entries["multiple"]
    assert found.entries["parallel"] == PUBLISHED.entries["parallel"]
    assert found.source.startswith("measured; for simple_python, simple_java")


def test_every_category_of_a_score_has_published_figures() -> None:
    """So has every category with sessions."""
    assert set(PUBLISHED.entries) == {name for name, one in CATEGORIES.items() if one.scored}
    assert set(PUBLISHED.sessions) == {name for name, one in CATEGORIES.items() if one.prerequisites}


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
    assert searches_text(314, WebChoice()) == (
        "about 314 searches and as many pages, at least 31 min by duckduckgo at web_pause 2"
    )
    assert searches_text(1, WebChoice(engine="serpapi")) == "about 1 search and as many pages"
    questions = WorkLeft()
    for name in ("a", "b"):
        questions.expect(name, "", 3)
        questions.ended(name, complete=False)
    assert left_text(questions, WebChoice()) == (
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
    left = left_by_model([*answered, *failed, *others], web_keys)
    assert {name: (one.failed, one.for_later) for name, one in left.items()} == {"a": (2, 8), "b": (1, 3)}
