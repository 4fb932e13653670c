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


def test_a_priced_model_costs_its_tokens() -> None:
    """Prices are per million tokens, separately for input and output."""
    usage = Usage([1_000_000, 500_000], [100_000])
    assert summarise_usage(usage, 2.0, 10.0).cost_usd == 4.0


def test_a_local_model_costs_its_share_of_the_gpus() -> None:
    """A hundred requests share an hour at 23.92 dollars."""
    assert summarise_usage(Usage(latencies_seconds=[360_000.0]), None, None).cost_usd == 23.92


def test_unknown_values_stay_unknown() -> None:
    """Without tokens and latencies, or with tokens of one direction, there is no number."""
    assert summarise_usage(Usage(), 1.0, 1.0) == UsageSummary(None, None, None, None)
    assert summarise_usage(Usage([5], []), 1.0, 1.0).cost_usd is None


def test_one_latency_has_a_mean_but_no_deviation() -> None:
    """A single response results neither in an error nor in a deviation of 0."""
    summary = summarise_usage(Usage(latencies_seconds=[1.5]), None, None)
    assert (summary.latency_mean_seconds, summary.latency_std_seconds) == (1.5, None)
    assert summary.latency_p95_seconds == 1.5


def test_zero_latencies_are_left_out_and_the_percentile_is_interpolated() -> None:
    """The 95th percentile of 1 to 100 is 95.05, with any number of zeros added."""
    summary = summarise_usage(Usage(latencies_seconds=[0.0, *map(float, range(1, 101)), 0.0]), None, None)
    assert summary.latency_p95_seconds == 95.05
    assert summary.latency_mean_seconds == 50.5
