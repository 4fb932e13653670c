"""The first fields of the lines of journals, without their answers: read without parsing the lines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
