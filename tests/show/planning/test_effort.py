"""Tokens, dollars and time of a sample."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.show.planning import PUBLISHED, Consumption, EntryFigures, completed_figures, effort

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
