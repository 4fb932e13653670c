"""What a number of exchanges amount to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from bfcl_pipeline.generation.journal.lines import Kept
from bfcl_pipeline.records import total

Group = TypeVar("Group", bound=Hashable)


@dataclass(slots=True)
class Summary:
    """Counts and sums over exchanges. What no exchange told is None."""

    exchanges: int = 0
    entries: set[str] = field(default_factory=set)
    trials: set[int] = field(default_factory=set)
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None
    latencies: list[float] = field(default_factory=list)  # seconds
    first: str | None = None  # when, ISO 8601 in UTC
    last: str | None = None

    def add(self, kept: Kept) -> None:
        """Counts one exchange in."""
        self.exchanges += 1
        self.entries.add(kept.entry_id)
        self.trials.add(kept.trial)
        self.input_tokens = total((self.input_tokens, kept.input_tokens))
        self.output_tokens = total((self.output_tokens, kept.output_tokens))
        self.dollars = total((self.dollars, kept.dollars))
        if kept.latency_seconds is not None:
            self.latencies.append(kept.latency_seconds)
        self.first = min(kept.received_at, self.first or kept.received_at)
        self.last = max(kept.received_at, self.last or kept.received_at)

    @property
    def latency_seconds(self) -> float | None:
        """The median; None if none is known."""
        return median(self.latencies) if self.latencies else None


def summarized(exchanges: Iterable[Kept]) -> Summary:
    """All of them together."""
    summary = Summary()
    for kept in exchanges:
        summary.add(kept)
    return summary


def grouped(exchanges: Iterable[Kept], group: Callable[[Kept], Group]) -> dict[Group, Summary]:
    """Those of each group together, in the order in which groups come up."""
    groups: dict[Group, Summary] = {}
    for kept in exchanges:
        groups.setdefault(group(kept), Summary()).add(kept)
    return groups
