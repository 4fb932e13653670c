"""Tokens, cost and latency of exchanges: unrounded sums, and the leaderboard's columns with its rounding.

No score depends on them.
"""

import functools
import math
import operator
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition.leaderboard import (
    GPU_DOLLARS_PER_HOUR,
    LOCAL_CONCURRENCY,
    PERCENTILE,
)
from bfcl_pipeline.benchmark.records import Step, token_dollars, total

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
    sent = total(step.input_tokens for step in steps)
    received = total(step.output_tokens for step in steps)
    seconds = [step.latency_seconds for step in steps if step.latency_seconds is not None]
    sums = [total(step.latency_seconds for step in exchanges) for exchanges in entries]
    entry_seconds = [seconds_sum for seconds_sum in sums if seconds_sum is not None]
    reasons = [step.finish_reason for step in steps if step.finish_reason is not None]
    return Taken(
        exchanges=len(steps),
        input_tokens=sent,
        output_tokens=received,
        cost_usd=token_dollars(sent, received, input_price, output_price),
        exchange_mean_seconds=statistics.fmean(seconds) if seconds else None,
        exchange_p95_seconds=percentile(seconds) if seconds else None,
        entry_mean_seconds=statistics.fmean(entry_seconds) if entry_seconds else None,
        entry_p95_seconds=percentile(entry_seconds) if entry_seconds else None,
        truncated=sum(reason in CUT_OFF for reason in reasons) if reasons else None,
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and latencies of a model's responses, as far as they are known."""

    input_tokens: Sequence[int] = ()  # of each exchange
    output_tokens: Sequence[int] = ()  # of each exchange
    latencies_seconds: Sequence[float] = ()  # of each exchange


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """The cost and latency columns, rounded to two places; None if unknown."""

    cost_usd: float | None
    latency_mean_seconds: float | None
    latency_std_seconds: float | None  # sample standard deviation; None for fewer than two
    latency_p95_seconds: float | None


def summarise_usage(usage: Usage, input_price: float | None, output_price: float | None) -> UsageSummary:
    """The columns for one model; prices are in USD per million tokens, None for a local model.

    The cost of a model without prices is its share of GPU time, by the leaderboard's formula. Zeros count
    as unknown, as in the official tool.
    """
    latencies = [value for value in usage.latencies_seconds if value != 0]
    return UsageSummary(
        cost_usd=_cost(usage, latencies, input_price, output_price),
        latency_mean_seconds=round(statistics.mean(latencies), 2) if latencies else None,
        latency_std_seconds=round(statistics.stdev(latencies), 2) if len(latencies) > 1 else None,
        # Scaled first, like numpy: the built-in sometimes rounds otherwise.
        latency_p95_seconds=round(percentile(latencies) * 100) / 100 if latencies else None,
    )


def _cost(
    usage: Usage, latencies: Sequence[float], input_price: float | None, output_price: float | None
) -> float | None:
    if input_price is not None and output_price is not None:
        sent, received = sum(usage.input_tokens), sum(usage.output_tokens)
        if not sent or not received:
            return None
        # In the official tool's order of operations, which decides how halves of a cent are rounded.
        return round(sent * input_price / 1_000_000 + received * output_price / 1_000_000, 2)
    if not latencies:
        return None
    seconds = functools.reduce(operator.add, latencies, 0.0)  # sum() rounds differently since Python 3.12
    return round(seconds / 3600 * GPU_DOLLARS_PER_HOUR / LOCAL_CONCURRENCY, 2)


def percentile(values: Sequence[float]) -> float:
    """The PERCENTILE of `values` by linear interpolation, in numpy's order of operations."""
    ordered = sorted(values)
    position = (len(ordered) - 1) * (PERCENTILE / 100)
    index = math.floor(position)
    part = position - index
    low, high = ordered[index], ordered[min(index + 1, len(ordered) - 1)]
    if part >= 0.5:
        return high - (high - low) * (1 - part)
    return low + (high - low) * part
