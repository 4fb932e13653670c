"""Findings of the checkers, and the form of values in their messages."""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a response is not valid."""

    error_type: str  # the official name
    message: str  # human-readable
    turn: int | None = None  # multi-turn: the turn of the error, from 0


def shown(value: Any) -> str:
    """`value` for a message: at most a few hundred characters."""
    if (type(value) is str and len(value) <= _SHORT.maxstring) or isinstance(value, float | bool):
        return repr(value)  # same result as reprlib, much faster
    return _SHORT.repr(value)


def shown_options(options: Sequence[Any]) -> str:
    """Acceptable values for a message, without the mark of an optional parameter."""
    wanted = [shown(option) for option in options if option != ""]
    if wanted:
        return " or ".join(wanted)
    return "that it is left out" if options else "no value at all"
