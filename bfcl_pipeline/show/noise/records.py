"""What is recorded of entries: how many systems have them right, and whether equal runs agree on them.

`difficulty.csv` counts official verdicts of published answers. `systems, right`: of models or prompts of
2024 to 2026, on single-turn entries. `right_120b`, `right_20b`: of five runs of gpt-oss-120b on five builds
of a server (September to November 2025), and of two of gpt-oss-20b. A user's own runs take their place.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.show.compare.sides import NO_EXCHANGE, WRONG, Numbering, Side

SINGLE_TURN = "single_turn"
"""The mean of non_live, live and irrelevance_all, which have equal weights in the overall score."""

UNKNOWN = 5
"""The class of entries of which no share is recorded."""

_EDGES = (0.2, 0.5, 0.8, 0.95)  # of the share of systems that have an entry right


@dataclass(frozen=True, slots=True)
class Record:
    """What is recorded of one entry."""

    share: float | None  # of other systems that have it right; None: not recorded
    runs: Sequence[tuple[int, int]]  # of each model with equal runs: runs that have it right, and runs

    @property
    def difficulty(self) -> int:
        """Its class: 0 to 4, the most difficult first, or UNKNOWN."""
        return UNKNOWN if self.share is None else int(np.searchsorted(_EDGES, self.share))

    @property
    def flips(self) -> float:
        """The probability that two equal runs disagree, without bias; the mean over models."""
        return float(np.mean([2 * right * (n - right) / (n * (n - 1)) for right, n in self.runs]))

    @property
    def right(self) -> float:
        """The probability that a run has it right; the mean over models."""
        return float(np.mean([right / n for right, n in self.runs]))


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


NO_EQUAL_RUNS = (
    "no entry has verdicts of equal runs that were asked each for itself. Name several runs of one model, "
    "made with --fresh, or one with trials."
)


def equal_runs(sides: Sequence[Side]) -> dict[str, list[Side]]:
    """The equal runs of each model: its trials, and its rows in all runs."""
    models: dict[str, list[Side]] = {}
    for side in sides:
        models.setdefault(trial_of(side.model).model, []).append(side)
    return models


def asked_apart(runs: Sequence[Side], entries: int) -> NDArray[np.bool_]:
    """Which entries have verdicts of all runs, of which no two are one exchange, from a shared journal."""
    found = np.full(entries, len(runs) > 1)
    for one, two in combinations(runs, 2):
        exchanges = one.exchanges_over(entries), two.exchanges_over(entries)
        found &= (exchanges[0] != exchanges[1]) | (exchanges[0] == NO_EXCHANGE)
    for side in runs:
        found &= side.spread_over(entries) >= WRONG
    return found


def own_records(numbering: Numbering, sides: Sequence[Side]) -> Records:
    """The records of a user's equal runs, with the published difficulty. Raises ConfigError without any."""
    entries, published = numbering.entries, published_records()
    counted: dict[int, list[tuple[int, int]]] = {}
    for runs in equal_runs(sides).values():
        right = np.sum([side.spread_over(len(entries)) for side in runs], axis=0)
        for place in np.flatnonzero(asked_apart(runs, len(entries))).tolist():
            counted.setdefault(place, []).append((int(right[place]), len(runs)))
    if not counted:
        raise ConfigError(NO_EQUAL_RUNS)
    found: dict[str, dict[str, Record]] = {name: {} for name in CATEGORIES}
    for place in sorted(counted):
        category, entry_id = entries[place]
        known = published.get(category, {}).get(entry_id)
        found[category][entry_id] = Record(known.share if known else None, counted[place])
    return {name: of_category for name, of_category in found.items() if of_category}


def shares_of(score: str) -> dict[str, float]:
    """The share of each category in a score of the leaderboard, a category, or SINGLE_TURN."""
    parts = ("non_live", "live", "irrelevance_all") if score == SINGLE_TURN else (score,)
    weights = [category_weights(part, {}) for part in parts]
    return {name: weight / len(parts) for part in weights for name, weight in part.items()}
