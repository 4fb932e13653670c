"""The lines of a journal: one exchange each, as a JSON object in ASCII.

Covers the key of an exchange, the form of a line and its reading. Which lines there are is `index`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from bfcl_pipeline.errors import Malformed
from bfcl_pipeline.records import Json

DEEPEST = 200
"""Levels of an answer, at most: what is written has to be readable however deep the reader stands."""


class NoJson(ValueError):
    """A line is not JSON: torn, or overwritten by something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One exchange as the journal keeps it."""

    key: str  # exchange_key of what was asked
    entry_id: str
    trial: int  # which repetition of the benchmark
    turn: int  # which turn of the entry, from 0
    run: str | None  # the run that asked; others find the answer too
    received_at: str  # ISO 8601 in UTC
    latency_seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    dollars: float | None  # None if prices or tokens are not known
    raw: Json  # the answer as the API gave it


def exchange_key(identity: Json, entry_id: str, trial: int, body: Json) -> str:
    """The sha256, in hex, of all that decides an answer: equal JSON values give equal keys."""
    asked = [identity, entry_id, trial, body]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def to_document(kept: Kept) -> dict[str, Json]:
    """The fields of a line, in their order: the answer last, as it is long."""
    return {
        "key": kept.key,
        "entry_id": kept.entry_id,
        "trial": kept.trial,
        "turn": kept.turn,
        "run": kept.run,
        "received_at": kept.received_at,
        "latency_seconds": kept.latency_seconds,
        "input_tokens": kept.input_tokens,
        "output_tokens": kept.output_tokens,
        "dollars": kept.dollars,
        "raw": kept.raw,
    }


def to_line(document: Json) -> bytes:
    """A line with its line feed. Raises Malformed for what JSON cannot say or a reader may not stand."""
    try:
        text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:  # not a number, thousands of digits or of levels
        raise Malformed(f"the answer cannot be kept as JSON ({error})") from error
    if text.count("[") + text.count("{") > DEEPEST and _depth(document) > DEEPEST:
        raise Malformed(f"the answer is nested more than {DEEPEST} levels deep")
    return text.encode("ascii") + b"\n"


def from_line(line: bytes) -> Kept:
    """What a line says. Raises NoJson, or another ValueError if its fields are not those of a line."""
    try:
        document = json.loads(line.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NoJson(f"no JSON ({error})") from error
    return from_document(document)


def from_document(document: Json) -> Kept:
    """What the fields of a line say. Raises ValueError if they are others."""
    match document:
        case {
            "key": str(key),
            "entry_id": str(entry_id),
            "trial": int(trial),
            "turn": int(turn),
            "run": str() | None as run,
            "received_at": str(received_at),
            "latency_seconds": int() | float() | None as latency_seconds,
            "input_tokens": int() | None as input_tokens,
            "output_tokens": int() | None as output_tokens,
            "dollars": int() | float() | None as dollars,
            "raw": raw,
            **rest,
        } if not rest:
            return Kept(
                key=key,
                entry_id=entry_id,
                trial=trial,
                turn=turn,
                run=run,
                received_at=received_at,
                latency_seconds=latency_seconds,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                dollars=dollars,
                raw=raw,
            )
    raise ValueError("its fields are not those of an exchange")


def _depth(value: Json) -> int:
    """How many lists and mappings stand within each other; does not recurse itself."""
    depth, level = 0, [value]
    while level := [item for held in level for item in _items(held)]:
        depth += 1
    return depth


def _items(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
