"""The lines of a journal: one exchange each, as a JSON object in ASCII.

Covers the key of an exchange, and writing and reading a line. Reading a whole file is in `index`.
"""

import hashlib
import json
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from bfcl_pipeline.base.errors import Malformed
from bfcl_pipeline.benchmark.records import Json

DEEPEST = 200
"""Nesting levels of a line, at most, so that it can be read at any depth of the call stack."""

TOO_DEEP = f"nested more than {DEEPEST} levels deep"

_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")  # one level down is 1, one up is -1
_OTHERS = bytes(set(range(256)) - set(b"[{]}"))

_SHA256 = re.compile(r"[0-9a-f]{64}")


class NotJson(ValueError):
    """A line is not JSON: torn, or overwritten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledExchange:
    """One exchange, as a line of the journal holds it."""

    key: str  # exchange_key of the request
    entry_id: str
    trial: int  # from 1
    turn: int  # the turn of the entry, from 0
    run: str | None  # the run that sent the request; other runs find the answer too
    received_at: str  # ISO 8601 in UTC
    latency_seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    dollars: float | None  # None if prices or tokens are not known
    provenance: str  # SHA-256 of the record of what made it
    raw: Json  # the answer as the API returned it


def exchange_key(identity: Json, entry_id: str, trial: int, body: Json) -> str:
    """The sha256, in hex, of everything that determines an answer: equal JSON values give equal keys."""
    request = [identity, entry_id, trial, body]
    return hashlib.sha256(json.dumps(request, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def to_document(exchange: JournaledExchange) -> dict[str, Json]:
    """The fields of a line in their order: the answer is last, because it is long."""
    return {name: getattr(exchange, name) for name in JournaledExchange.__slots__}


def is_too_deep(text: bytes) -> bool:
    """Whether lists and mappings in JSON are nested more than DEEPEST levels; brackets in its texts do not
    count. To be asked before the JSON is read: Python reads and writes it with recursion."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False
    brackets = _TEXT.sub(b"", text).translate(_STEPS, _OTHERS)
    return max(accumulate(array("b", brackets)), default=0) > DEEPEST


def to_line(document: Json) -> bytes:
    """A line with its line feed. Raises Malformed if the answer is not valid JSON or nested too deeply."""
    try:
        text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:  # NaN, thousands of digits or of levels
        raise Malformed(f"the answer cannot be written as JSON ({error})") from error
    line = text.encode("ascii") + b"\n"
    if is_too_deep(line):
        raise Malformed(f"the answer is {TOO_DEEP}")
    return line


def from_line(line: bytes) -> JournaledExchange:
    """The exchange of a line. Raises NotJson, or another ValueError if the fields are wrong."""
    if is_too_deep(line):
        raise NotJson(TOO_DEEP)
    try:
        document = json.loads(line.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise NotJson(f"not JSON ({error})") from error
    return from_document(document)


def from_document(document: Json) -> JournaledExchange:
    """The exchange of a line's fields. Raises ValueError if the fields are wrong."""
    match document:
        case {
            "key": str(),
            "entry_id": str(),
            "trial": int(),
            "turn": int(),
            "run": str() | None,
            "received_at": str(),
            "latency_seconds": int() | float() | None,
            "input_tokens": int() | None,
            "output_tokens": int() | None,
            "dollars": int() | float() | None,
            "provenance": str(provenance),
            "raw": _,
            **rest,
        } if not rest and _SHA256.fullmatch(provenance):
            return JournaledExchange(**document)
    raise ValueError("its fields are not those of an exchange")


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
