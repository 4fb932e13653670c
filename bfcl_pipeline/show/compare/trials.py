"""Models with several trials as one side: the share of its trials that have an entry right.

The trials of a model answer the same entries, so the mean over them varies less with the chance of one
answer, while the choice of entries matters as before. The interval of the differences of means has both.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.sides import (
    NO_EXCHANGE,
    RIGHT,
    UNJUDGED,
    Choice,
    Numbering,
    Side,
    label_sides,
    read_sides,
)

Entries: TypeAlias = frozenset[tuple[str, str]]
"""Categories and ids of entries."""


def known_flaky(sides: Sequence[Side], rules: Rules) -> Entries | None:
    """The entries whose verdict differs among trials of any side, read from the tables of its run.

    None if none of them has several trials.

    Raises TableError if a table of trials cannot be read.
    """
    repeated = [side for side in sides if _rows(side, "trials", rules, ())]
    flaky = [_rows(side, "flaky", rules, ("category", "entry_id")) for side in repeated]
    return (
        frozenset((row["category"], row["entry_id"]) for rows in flaky for row in rows) if flaky else None
    )


def _rows(side: Side, name: str, rules: Rules, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a table on the trials of the model of a side; none without the table."""
    path = side.run.table(name)
    if not path.is_file():
        return []
    key = (rules.value, trial_of(side.model).model)
    rows = read_table(path, ("rules", "model", *columns)).to_pylist()
    return [row for row in rows if (row["rules"], row["model"]) == key]


def read_averaged(
    choices: Sequence[Choice], rules: Rules, only: Collection[str] = ()
) -> tuple[Numbering, list[Side]]:
    """The sides that are named, all trials of a model as one. Arguments and errors as of `read_sides`.

    Raises ConfigError if no model has several trials.
    """
    numbering, sides = read_sides([replace(choice, model=None) for choice in choices], rules, only)
    trials: dict[tuple[Run, str], list[Side]] = {}
    for side in sides:
        trials.setdefault((side.run, trial_of(side.model).model), []).append(side)
    merged: dict[tuple[Run, str], Side] = {}
    for choice in choices:
        there = [model for run, model in trials if run == choice.run]
        if choice.model is not None and choice.model not in there:
            raise TableError(f"{choice.run.source}/verdicts: {unknown_name('model', choice.model, there)}")
        for model in there if choice.model is None else [choice.model]:
            merged[choice.run, model] = _mean(model, trials[choice.run, model])
    found = list(merged.values())
    if all(side.trials == 1 for side in found):
        raise ConfigError(
            f"--trials: none of {', '.join(side.model for side in found)} has several trials (trials: N in "
            "the config). Leave the option out."
        )
    named = label_sides(found)
    return numbering, [
        replace(side, label=f"{side.label} ({side.trials} trials)") if side.trials > 1 else side
        for side in named
    ]


def _mean(model: str, sides: Sequence[Side]) -> Side:
    """One side of all trials; an entry counts in the trials in which it has a verdict."""
    numbers = np.unique(np.concatenate([side.numbers for side in sides]))
    size = int(numbers.max()) + 1
    right, judged = np.zeros(size), np.zeros(size)
    exchanges, unknown = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    for side in sides:
        has = side.marks != UNJUDGED
        judged[side.numbers[has]] += 1
        right[side.numbers[has]] += side.marks[has] == RIGHT
        known = side.exchanges_over(size)
        exchanges += known  # those of all trials: their sum modulo 2**64
        unknown[side.numbers] |= known[side.numbers] == NO_EXCHANGE
    share = np.where(judged > 0, right / np.maximum(judged, 1), UNJUDGED)
    exchanges[unknown] = NO_EXCHANGE
    return replace(
        sides[0],
        model=model,
        numbers=numbers,
        marks=share[numbers],
        trials=len(sides),
        exchanges=exchanges[numbers],
        answers=sum(side.answers for side in sides),
        unread=tuple(entry_id for side in sides for entry_id in side.unread),
    )
