"""Counts and sums over exchanges, for the command `journal`."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from bfcl_pipeline.benchmark.records import total
from bfcl_pipeline.runs.journal.lines import JournaledExchange

Group = TypeVar("Group", bound=Hashable)


@dataclass(slots=True)
class Summary:
    """Counts and sums over exchanges. A value that no exchange has is None."""

    exchanges: int = 0
    entries: set[str] = field(default_factory=set)
    trials: set[int] = field(default_factory=set)
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None
    latencies: list[float] = field(default_factory=list)  # seconds
    first: str | None = None  # received_at, ISO 8601 in UTC
    last: str | None = None

    def add(self, exchange: JournaledExchange) -> None:
        """Adds one exchange."""
        self.exchanges += 1
        self.entries.add(exchange.entry_id)
        self.trials.add(exchange.trial)
        self.input_tokens = total((self.input_tokens, exchange.input_tokens))
        self.output_tokens = total((self.output_tokens, exchange.output_tokens))
        self.dollars = total((self.dollars, exchange.dollars))
        if exchange.latency_seconds is not None:
            self.latencies.append(exchange.latency_seconds)
        self.first = min(exchange.received_at, self.first or exchange.received_at)
        self.last = max(exchange.received_at, self.last or exchange.received_at)

    @property
    def latency_seconds(self) -> float | None:
        """The median latency; None if no exchange has one."""
        return median(self.latencies) if self.latencies else None


def summarize(exchanges: Iterable[JournaledExchange]) -> Summary:
    """The summary of all exchanges."""
    summary = Summary()
    for exchange in exchanges:
        summary.add(exchange)
    return summary


def summarize_groups(
    exchanges: Iterable[JournaledExchange], group: Callable[[JournaledExchange], Group]
) -> dict[Group, Summary]:
    """A summary per group, in the order of first occurrence."""
    groups: dict[Group, Summary] = {}
    for exchange in exchanges:
        groups.setdefault(group(exchange), Summary()).add(exchange)
    return groups
