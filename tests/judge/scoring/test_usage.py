"""Sums over exchanges."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.records import Step
from bfcl_pipeline.judge.scoring.usage import CUT_OFF, Taken, Usage, UsageSummary, add_up, summarise_usage


def test_tokens_cost_the_prices_of_the_row() -> None:
    """Prices are per million tokens, without rounding."""
    taken = add_up([[Step(0, 1000, 10), Step(0, 500, None)], [Step(0, None, 20)]], 2.0, 10.0)
    assert (taken.exchanges, taken.input_tokens, taken.output_tokens) == (3, 1500, 30)
    assert taken.cost_usd == pytest.approx(0.0033)


@pytest.mark.parametrize(("prices"), [(None, 1.0), (1.0, None), (None, None)])
def test_without_both_prices_there_is_no_cost(prices: tuple[float | None, float | None]) -> None:
    """One of two prices gives no cost."""
    assert add_up([[Step(0, 1, 1)]], *prices).cost_usd is None


def test_unreported_values_stay_unknown() -> None:
    """Steps without any values count only as requests."""
    assert add_up([[Step(0), Step(1)], []], 1.0, 1.0) == Taken(2, *[None] * 8)


def test_an_entry_takes_the_sum_of_its_requests() -> None:
    """Two requests of one second and one of four: two seconds per request, three per entry."""
    one, four = Step(0, latency_seconds=1.0), Step(0, latency_seconds=4.0)
    taken = add_up([[one, one], [four]], None, None)
    assert (taken.exchange_mean_seconds, taken.entry_mean_seconds) == (2.0, 3.0)
    assert taken.exchange_p95_seconds == pytest.approx(3.7)
    assert taken.entry_p95_seconds == pytest.approx(3.9)


def test_truncated_answers_are_counted() -> None:
    """The finish reasons of every API for truncation count; other reasons do not."""
    steps = [Step(0, finish_reason=reason) for reason in (*sorted(CUT_OFF), "stop", "tool_calls", None)]
    assert add_up([steps], None, None).truncated == len(CUT_OFF) == 4
    assert add_up([[Step(0, finish_reason="stop")]], None, None).truncated == 0


ONE_LATENCY = Usage(latencies_seconds=[1.5])
ZEROS = Usage(latencies_seconds=[0.0, *map(float, range(1, 101)), 0.0])


@pytest.mark.parametrize(
    ("usage", "prices", "expected"),
    [
        # Prices are per million tokens, separately for input and output.
        (Usage([1_000_000, 500_000], [100_000]), (2.0, 10.0), (4.0, None, None, None)),
        # A hundred local requests share an hour at 23.92 dollars.
        (Usage(latencies_seconds=[360_000.0]), (None, None), (23.92, 360_000.0, None, 360_000.0)),
        # Without tokens and latencies, or with tokens of one direction, there is no number.
        (Usage(), (1.0, 1.0), (None, None, None, None)),
        (Usage([5], []), (1.0, 1.0), (None, None, None, None)),
        # One latency has a mean but no deviation; zeros are left out, the percentile is interpolated.
        (ONE_LATENCY, (1.0, 1.0), (None, 1.5, None, 1.5)),
        (ZEROS, (1.0, 1.0), (None, 50.5, 29.01, 95.05)),
    ],
)
def test_the_columns_of_the_leaderboard(
    usage: Usage, prices: tuple[float | None, float | None], expected: tuple[float | None, ...]
) -> None:
    """Cost, mean, deviation and 95th percentile of the latencies."""
    assert summarise_usage(usage, *prices) == UsageSummary(*expected)
