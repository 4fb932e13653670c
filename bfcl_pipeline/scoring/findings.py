"""What a checker found wrong, and how values are shown in a message."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a response is not valid."""

    error_type: str  # the official name
    message: str  # for a person
    turn: int | None = None  # of several turns: the one at which it fell, from 0


def shown(value: Any) -> str:
    """`value` as it is shown in a message: at most a few hundred characters."""
    if (type(value) is str and len(value) <= _SHORT.maxstring) or isinstance(value, float | bool):
        return repr(value)  # the same, much faster
    return _SHORT.repr(value)


def shown_options(options: Sequence[Any]) -> str:
    """Acceptable values as they are shown in a message; the mark of an optional one is left out."""
    wanted = [shown(option) for option in options if option != ""]
    if wanted:
        return " or ".join(wanted)
    return "that it is left out" if options else "no value at all"
