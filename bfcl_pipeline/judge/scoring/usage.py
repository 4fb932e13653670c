"""Sums the tokens, cost, latency and truncated answers of exchanges, without rounding.

The leaderboard's own columns, with its rounding and GPU price, are in `scoring.leaderboard_usage`.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.records import Step, total
from bfcl_pipeline.judge.scoring.leaderboard_usage import percentile

CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
"""The finish reasons with which APIs report that an answer reached its token limit."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Sums and means over exchanges; None if no exchange has the value."""

    exchanges: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None  # at the given prices
    exchange_mean_seconds: float | None
    exchange_p95_seconds: float | None
    entry_mean_seconds: float | None  # per entry, the sum over its exchanges
    entry_p95_seconds: float | None
    truncated: int | None  # answers that reached the token limit


def add_up(
    entries: Sequence[Sequence[Step]], input_price: float | None, output_price: float | None
) -> Taken:
    """Sums the exchanges of `entries`; prices are in US dollars per million tokens."""
    steps = [step for exchanges in entries for step in exchanges]
    sent, received = (
        total(step.input_tokens for step in steps),
        total(step.output_tokens for step in steps),
    )
    seconds = [step.latency_seconds for step in steps if step.latency_seconds is not None]
    sums = [total(step.latency_seconds for step in exchanges) for exchanges in entries]
    entry_seconds = [seconds_sum for seconds_sum in sums if seconds_sum is not None]
    reasons = [step.finish_reason for step in steps if step.finish_reason is not None]
    return Taken(
        exchanges=len(steps),
        input_tokens=sent,
        output_tokens=received,
        cost_usd=_cost(sent, input_price, received, output_price),
        exchange_mean_seconds=statistics.fmean(seconds) if seconds else None,
        exchange_p95_seconds=percentile(seconds) if seconds else None,
        entry_mean_seconds=statistics.fmean(entry_seconds) if entry_seconds else None,
        entry_p95_seconds=percentile(entry_seconds) if entry_seconds else None,
        truncated=sum(reason in CUT_OFF for reason in reasons) if reasons else None,
    )


def _cost(
    sent: int | None, input_price: float | None, received: int | None, output_price: float | None
) -> float | None:
    if sent is None or received is None or input_price is None or output_price is None:
        return None
    return (sent * input_price + received * output_price) / 1_000_000
