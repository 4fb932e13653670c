"""How the repetitions of a benchmark with one model are told apart.

The first trial has the model's own name, the second is called `<model>~2`, and so on: in tables and
reports, and in the names of folders. One row of the models file describes them all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LATER = re.compile(r"(?P<model>.+)~(?P<number>[2-9]|[1-9]\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trial:
    """One repetition."""

    model: str  # name of its row
    number: int = 1


def trial_name(model: str, number: int) -> str:
    """What tables call trial `number` of `model`."""
    return model if number == 1 else f"{model}~{number}"


def trial_of(name: str) -> Trial:
    """The trial that tables call `name`."""
    match = _LATER.fullmatch(name)
    return Trial(match["model"], int(match["number"])) if match else Trial(name)
