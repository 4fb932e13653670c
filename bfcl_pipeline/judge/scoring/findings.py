"""Findings of the checkers, the form of values in their messages, and where two states differ."""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Any

from bfcl_pipeline.base.differences import Difference, differences
from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.world.tools import plain

MAX_MESSAGE = 5_000
"""Characters of a message, so that no answer makes a table large."""

_MAX_PARTS = 2_000  # values within values that are shown

_SHORT_BITS = 64  # of an integer that is shown whole


class _Short(reprlib.Repr):
    """The form of values in messages: a few items at each depth, and few in all."""

    def __init__(self) -> None:
        super().__init__()
        self._parts_left = 0

    def repr(self, x: Any) -> str:
        """`x` for a message."""
        self._parts_left = _MAX_PARTS
        return super().repr(x)

    def repr1(self, x: Any, level: int) -> str:
        """`x`, a part of a value, with `level` further depths; three dots if too many parts were shown."""
        self._parts_left -= 1
        return super().repr1(x, level) if self._parts_left >= 0 else self.fillvalue


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160
_SHORT.fillvalue = "..."
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a response is not valid."""

    error_type: str  # the official name, or one of a corrected rule
    message: str  # human-readable
    turn: int | None = None  # multi-turn: the turn of the error, from 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a checker says of one answer under one rule set."""

    finding: Finding | None = None  # None: the answer is valid
    answer_class: AnswerClass | None = None  # of irrelevance and agentic entries
    not_recorded: str | None = None  # which answer of a web API the verdict lacks; None: it lacks none


def shorten(value: Any) -> str:
    """`value` for a message: at most a few hundred characters."""
    if (type(value) is str and len(value) <= _SHORT.maxstring) or isinstance(value, float | bool):
        return repr(value)  # same result as reprlib, much faster
    if type(value) is int and value.bit_length() < _SHORT_BITS:
        return repr(value)
    return _SHORT.repr(value)


def bound_message(message: str) -> str:
    """`message`, cut if it is longer than MAX_MESSAGE."""
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}..."


def shown_options(options: Sequence[Any]) -> str:
    """Acceptable values for a message, without the mark of an optional parameter."""
    wanted = [shorten(option) for option in options if option != ""]
    if wanted:
        return " or ".join(wanted)
    return "that it is left out" if options else "no value at all"


MOST = 3
"""Differences in one message."""


def first_differences(got: Any, expected: Any, most: int = MOST) -> list[Difference]:
    """The first `most` differences of two states of one API, in the order of its attributes.

    A path is an attribute, then keys and positions: orders[12446]['status'].
    """
    found = differences(got, expected, parts=_parts, strict=False)
    return [Difference(one.path, plain(one.first), plain(one.second)) for one in islice(found, most)]


def _parts(value: Any) -> dict[str, Any] | None:
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f".{field.name}": getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, list):
        return {f"[{place}]": item for place, item in enumerate(value)}
    return None
