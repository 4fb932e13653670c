"""The table on trials: how far each score of a model moves when the benchmark is repeated."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import LEADERBOARD
from bfcl_pipeline.config import trial_of

SCORES = (*(group.name for group in reversed(LEADERBOARD)), *CATEGORIES)
"""The columns of the leaderboard that are scores, in its order."""


def trials(leaderboard: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of `trials`, from those of `leaderboard`: of models that have more than one trial."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in leaderboard:
        found.setdefault((row["rules"], trial_of(row["model"]).model), []).append(row)
    for (rules, model), rows in found.items():
        if len(rows) < 2:
            continue
        for score in SCORES:
            values = [row[score] for row in rows if row[score] is not None]
            if values:
                yield {"rules": rules, "model": model, "score": score, **_spread(values)}


def _spread(values: Sequence[float]) -> dict[str, Any]:
    return {
        "trials": len(values),
        "mean": statistics.fmean(values),
        "std": statistics.stdev(values) if len(values) > 1 else None,
        "min": min(values),
        "max": max(values),
    }
