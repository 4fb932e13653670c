"""The cost and latency columns."""

from __future__ import annotations

from bfcl_pipeline.judge.scoring.leaderboard_usage import Usage, UsageSummary, summarise_usage


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
