"""Finds the places at which two states differ, for messages to people."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Any

from bfcl_pipeline.world.tools import plain

MOST = 3
"""Differences in one message."""

_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class StateDifference:
    """One place at which two states differ."""

    path: str  # attribute, then keys and positions: orders[12446]['status']
    got: Any
    expected: Any


class _Nothing:
    def __repr__(self) -> str:
        return "missing"


NOTHING = _Nothing()
"""Placeholder for a missing value."""


def first_differences(got: Any, expected: Any, most: int = MOST) -> list[StateDifference]:
    """The first `most` differences of two states of one API, in the order of its attributes."""
    return list(islice(_differences("", got, expected, _DEEPEST), most))


def _differences(path: str, got: Any, expected: Any, levels: int) -> Iterator[StateDifference]:
    """The smallest different parts: descends while both sides have parts of the same type."""
    if got == expected:
        return
    mine, theirs = _parts(path, got), _parts(path, expected)
    if levels == 0 or mine is None or theirs is None or type(got) is not type(expected):
        yield StateDifference(path, plain(got), plain(expected))
        return
    for name in dict.fromkeys((*mine, *theirs)):
        yield from _differences(name, mine.get(name, NOTHING), theirs.get(name, NOTHING), levels - 1)


def _parts(path: str, value: Any) -> dict[str, Any] | None:
    """The parts of `value` by their paths; None if it has none."""
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        start = f"{path}." if path else ""
        return {f"{start}{field.name}": getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {f"{path}[{key!r}]": item for key, item in value.items()}
    if isinstance(value, list):
        return {f"{path}[{place}]": item for place, item in enumerate(value)}
    return None
