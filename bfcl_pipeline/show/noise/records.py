"""What is recorded of entries: how many systems have them right, and whether equal runs agree on them.

`difficulty.csv` counts official verdicts of published answers. `systems, right`: of models or prompts of
2024 to 2026, on single-turn entries. `right_120b`, `right_20b`: of five runs of gpt-oss-120b on five builds
of a server (September to November 2025), and of two of gpt-oss-20b. A user's own runs take their place.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations

import numpy as np

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats
from bfcl_pipeline.show.compare.sides import NO_EXCHANGE, WRONG, Choice, Numbering, Side, read_sides

_EDGES = (0.2, 0.5, 0.8, 0.95, math.inf)  # of classes: the largest share of systems; nan is beyond all


@dataclass(frozen=True, slots=True)
class Record:
    """What is recorded of one entry."""

    share: float  # of other systems that have it right; nan: not recorded
    runs: Sequence[tuple[int, int]]  # of each model with equal runs: runs that have it right, and runs

    @property
    def difficulty(self) -> int:
        """Its class: 0 to 4, the most difficult first, or 5 if no share is recorded."""
        return int(np.searchsorted(_EDGES, self.share))

    @property
    def flips(self) -> float:
        """The probability that two equal runs disagree, without bias; the mean over models."""
        return float(np.mean([2 * right * (n - right) / (n * (n - 1)) for right, n in self.runs]))

    @property
    def right(self) -> float:
        """The probability that a run has it right; the mean over models."""
        return float(np.mean([right / n for right, n in self.runs]))


UNRECORDED = Record(math.nan, ())

Records = Mapping[str, Mapping[str, Record]]
"""By category, then entry id."""


@cache
def published_records() -> Records:
    """Those of `difficulty.csv`. Where no system is counted, gpt-oss-120b is the system, and not a run."""
    found: dict[str, dict[str, Record]] = {}
    text = files(__package__).joinpath("difficulty.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        large, small = (int(row["right_120b"]), 5), (int(row["right_20b"]), 2)
        share = int(row["right"]) / int(row["systems"]) if row["systems"] else large[0] / large[1]
        runs = (large, small) if row["systems"] else (small,)
        found.setdefault(category_of(row["entry_id"]), {})[row["entry_id"]] = Record(share, runs)
    return found


def equal_runs(
    numbering: Numbering, sides: Sequence[Side]
) -> list[tuple[str, list[Side], list[int], Floats]]:
    """Each model with equal runs: its trials, and its rows in all runs.

    With the runs, the numbers of the entries that all were asked for and have verdicts on, no two by one
    exchange from a shared journal, and their marks, by run and entry. Raises ConfigError if there is none.
    """
    models: dict[str, list[Side]] = {}
    for side in sides:
        models.setdefault(trial_of(side.model).model, []).append(side)
    found, count = [], len(numbering.entries)
    for model, runs in models.items():
        marks = np.array([side.spread_over(count) for side in runs])
        apart = (marks >= WRONG).all(axis=0) & (len(runs) > 1)
        for one, two in combinations([side.exchanges_over(count) for side in runs], 2):
            apart &= (one != two) | (one == NO_EXCHANGE)
        if apart.any():
            found.append((model, runs, np.flatnonzero(apart).tolist(), marks[:, apart]))
    if not found:
        raise ConfigError(
            "no entry has verdicts of equal runs that were asked each for itself. Name several runs of one "
            "model, made with --fresh, or one with trials."
        )
    return found


def own_records(choices: Sequence[Choice]) -> Records:
    """The records of a user's equal runs, with the published difficulty. Raises ConfigError without any."""
    numbering, sides = read_sides(choices, Rules.OFFICIAL)
    counted: dict[int, list[tuple[int, int]]] = {}
    for _, runs, places, marks in equal_runs(numbering, sides):
        for place, right in zip(places, marks.sum(axis=0).tolist(), strict=True):
            counted.setdefault(place, []).append((int(right), len(runs)))
    published, found = published_records(), dict[str, dict[str, Record]]()
    for place in sorted(counted):
        category, entry_id = numbering.entries[place]
        share = published.get(category, {}).get(entry_id, UNRECORDED).share
        found.setdefault(category, {})[entry_id] = Record(share, counted[place])
    return found
