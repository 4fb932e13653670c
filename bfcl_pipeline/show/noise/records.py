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

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.show.compare.sides import WRONG, Numbering, Side

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


def equal_runs(sides: Sequence[Side], entries: int) -> dict[str, NDArray[np.float64]]:
    """The marks of equal runs by model, then run and entry: of its trials, and of its rows in all runs.

    Raises ConfigError if no entry has verdicts of two equal runs.
    """
    models: dict[str, list[Side]] = {}
    for side in sides:
        models.setdefault(trial_of(side.model).model, []).append(side)
    marks = {name: np.array([one.spread_over(entries) for one in runs]) for name, runs in models.items()}
    if not any(((each >= WRONG).sum(axis=0) > 1).any() for each in marks.values()):
        raise ConfigError(
            "no entry has verdicts of two equal runs. Name several runs of one model, or one with trials."
        )
    return marks


def own_records(numbering: Numbering, sides: Sequence[Side]) -> Records:
    """The records of a user's equal runs, with the published difficulty; errors as of `equal_runs`."""
    published, found = published_records(), dict[str, dict[str, Record]]()
    marks = equal_runs(sides, len(numbering.entries)).values()
    for place, (category, entry_id) in enumerate(numbering.entries):
        counts = [(int((of[:, place] > WRONG).sum()), int((of[:, place] >= WRONG).sum())) for of in marks]
        if runs := [count for count in counts if count[1] > 1]:
            known = published.get(category, {}).get(entry_id)
            found.setdefault(category, {})[entry_id] = Record(known.share if known else None, runs)
    return {name: found[name] for name in CATEGORIES if name in found}


def shares_of(score: str) -> dict[str, float]:
    """The share of each category in a score of the leaderboard, a category, or SINGLE_TURN."""
    parts = ("non_live", "live", "irrelevance_all") if score == SINGLE_TURN else (score,)
    weights = [category_weights(part, {}) for part in parts]
    return {name: weight / len(parts) for part in weights for name, weight in part.items()}
