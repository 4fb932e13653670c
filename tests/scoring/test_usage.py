"""What exchanges took, added up."""

from __future__ import annotations

import pytest

from bfcl_pipeline.records import Step
from bfcl_pipeline.scoring.usage import CUT_OFF, Taken, add_up


def test_tokens_cost_what_the_row_says() -> None:
    """Prices are per million tokens; nothing is rounded away."""
    taken = add_up([[Step(0, 1000, 10), Step(0, 500, None)], [Step(0, None, 20)]], 2.0, 10.0)
    assert (taken.exchanges, taken.input_tokens, taken.output_tokens) == (3, 1500, 30)
    assert taken.cost_usd == pytest.approx(0.0033)


@pytest.mark.parametrize(("prices"), [(None, 1.0), (1.0, None), (None, None)])
def test_without_both_prices_there_is_no_cost(prices: tuple[float | None, float | None]) -> None:
    """Half of a price says nothing."""
    assert add_up([[Step(0, 1, 1)]], *prices).cost_usd is None


def test_what_is_not_told_is_not_made_up() -> None:
    """Steps of which nothing is known are requests, and no more."""
    assert add_up([[Step(0), Step(1)], []], 1.0, 1.0) == Taken(2, *[None] * 8)


def test_an_entry_takes_the_sum_of_its_requests() -> None:
    """Two requests of one second and one of four: two seconds each, three seconds an entry."""
    one, four = Step(0, latency_seconds=1.0), Step(0, latency_seconds=4.0)
    taken = add_up([[one, one], [four]], None, None)
    assert (taken.exchange_mean_seconds, taken.entry_mean_seconds) == (2.0, 3.0)
    assert taken.exchange_p95_seconds == pytest.approx(3.7)
    assert taken.entry_p95_seconds == pytest.approx(3.9)


def test_answers_cut_off_are_counted_by_every_name_of_it() -> None:
    """Each API has its own word; other ends do not count."""
    steps = [Step(0, finish_reason=reason) for reason in (*sorted(CUT_OFF), "stop", "tool_calls", None)]
    assert add_up([steps], None, None).truncated == len(CUT_OFF) == 4
    assert add_up([[Step(0, finish_reason="stop")]], None, None).truncated == 0
