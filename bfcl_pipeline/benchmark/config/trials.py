"""Repetitions of the benchmark with one model, and their names.

The first has the model's own name, the second is called `<model>~2`, in tables, reports and names of
directories.
"""

import re
from dataclasses import dataclass

_LATER = re.compile(r"(?P<model>.+)~(?P<number>[2-9]|[1-9]\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trial:
    """One repetition of the benchmark."""

    model: str  # name of its row in the models file
    number: int = 1  # from 1


def trial_name(model: str, number: int) -> str:
    """The name in tables of trial `number` of `model`."""
    return model if number == 1 else f"{model}~{number}"


def trial_of(name: str) -> Trial:
    """The trial that has `name` in tables."""
    match = _LATER.fullmatch(name)
    return Trial(match["model"], int(match["number"])) if match else Trial(name)
