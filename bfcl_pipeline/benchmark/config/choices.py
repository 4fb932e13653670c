"""Choices of a config: whose journals answer, whose conversations the page has, trials, comparisons."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name

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


Groups = tuple[tuple[str, ...], ...]
"""Models by group: the others of a group are compared with its first."""


def comparison_groups(given: Sequence[str | Sequence[str]] | None, models: Sequence[str]) -> Groups:
    """The groups that `compare` names: one list of models, or a list of such lists.

    Args:
        given: the value of the key; None for no comparison.
        models: the models of the run, with a name for each trial.

    Raises:
        ConfigError: a model is not one of the run, or a group does not have two models.
    """
    if given is None:
        return ()
    texts = [name for name in given if isinstance(name, str)]
    if texts and len(texts) < len(given):
        raise ConfigError(
            "compare: expected a list of models, or a list of such lists; got both in one list."
        )
    groups = (tuple(texts),) if texts else tuple(tuple(group) for group in given)
    for group in groups:
        for name in group:
            if name not in models:
                raise ConfigError(f"compare: {unknown_name('model of this run', name, models)}")
        if len(set(group)) < len(group) or len(group) < 2:
            raise ConfigError(f"compare: expected two or more different models, got {', '.join(group)}.")
    return groups
