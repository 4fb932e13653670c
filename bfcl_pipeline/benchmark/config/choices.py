"""Choices of a config that have names: whose journals answer, whose conversations the page has, trials."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

_LATER = re.compile(r"(?P<model>.+)~(?P<number>[2-9]|[1-9]\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trial:
    """One repetition of the benchmark."""

    model: str  # name of its row in the models file
    number: int = 1  # from 1


def trial_name(model: str, number: int) -> str:
    """The name of trial `number` of `model` in tables, reports and directories: the second is `model~2`."""
    return model if number == 1 else f"{model}~{number}"


def trial_of(name: str) -> Trial:
    """The trial that has `name` in tables."""
    match = _LATER.fullmatch(name)
    return Trial(match["model"], int(match["number"])) if match else Trial(name)


class ShownEntries(StrEnum):
    """The conversations of the page; the list of entries with their verdicts is always complete."""

    WRONG = "wrong"  # those that a model has not right under every rule set, and those without a verdict
    ALL = "all"
    NONE = "none"


class JournalChoice(StrEnum):
    """The key `journal` of a config."""

    SHARED = "shared"  # an answer that any run received is used by all
    RUN = "run"  # the run uses no answer of another run, and no other run uses its answers

    def member(self, run: str) -> PurePosixPath:
        """The directory with one directory for each model, relative to that of `results` and `cache`."""
        return PurePosixPath(f"results/{run}/exchanges" if self is JournalChoice.RUN else "cache/exchanges")
