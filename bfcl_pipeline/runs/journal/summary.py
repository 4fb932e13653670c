"""What lies in journals, for the command `journal`: first fields, counts and sums over exchanges."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeVar

from bfcl_pipeline.benchmark.records import total
from bfcl_pipeline.runs.journal.lines import JournaledExchange

_BYTES = 4096
"""The start of a line, which has all fields but the answer, and the first fields of the answer."""

_SCALAR = rb'(?:"[^"\\]{0,300}"|-?\d[\d.eE+-]{0,30}|null|true|false)'

_HEAD = re.compile(
    rb'\{"key":"[0-9a-f]{64}","entry_id":"(?P<entry>[^"\\]{1,200})","trial":(?P<trial>\d{1,9}),'
    rb'"turn":(?P<turn>\d{1,9}),"run":(?:null|"(?P<run>[^"\\]{1,200})"),'
    rb'"received_at":"(?P<time>\d{4}-\d\d-\d\dT[^"\\]{0,40})","latency_seconds":(?P<latency>null|\d[\d.e+-]{0,30})'
)

_SERVED = re.compile(
    rb'(?:,"(?:input_tokens|output_tokens|dollars|provenance)":' + _SCALAR + rb"){4},"
    rb'"raw":\{(?:"[a-z_]{1,40}":' + _SCALAR + rb',){0,12}"model":"(?P<model>[^"\\]{1,200})"'
)
"""What follows `_HEAD` if only numbers and texts precede the name of the model, not what it wrote."""


@dataclass(frozen=True, slots=True)
class ExchangeHead:
    """One line of a journal without its answer."""

    entry_id: str
    trial: int
    turn: int
    run: str | None  # that sent the request
    received_at: str  # ISO 8601 in UTC
    latency_seconds: float | None
    served: str  # the model that the answer names; empty if it names none

    @property
    def day(self) -> str:
        """The day of receipt in UTC, YYYY-MM-DD."""
        return self.received_at[:10]


def exchange_heads(journals: Iterable[Path]) -> Iterator[ExchangeHead]:
    """The heads of all lines, journal by journal; what is not a line of an exchange is left out."""
    for path in journals:
        with path.open("rb") as lines:
            for line in lines:
                if head := _HEAD.match(line, 0, _BYTES):
                    served = _SERVED.match(line, head.end(), _BYTES)
                    yield ExchangeHead(
                        entry_id=head["entry"].decode(),
                        trial=int(head["trial"]),
                        turn=int(head["turn"]),
                        run=None if head["run"] is None else head["run"].decode(),
                        received_at=head["time"].decode(),
                        latency_seconds=None if head["latency"] == b"null" else float(head["latency"]),
                        served=served["model"].decode() if served else "",
                    )


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
