"""The columns of the table `leaderboard` on ranks: their intervals, groups, and detectable differences.

Covers the overall score, as the table shows it, of all models with verdicts under one rule set. The
arithmetic is in `scoring.statistics.ranks`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of, category_weights
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, layout, number_keys
from bfcl_pipeline.judge.scoring.statistics.power import detectable_difference
from bfcl_pipeline.judge.scoring.statistics.ranks import (
    errors_to_next,
    groups,
    pairs,
    rank_intervals,
    shown_better,
)
from bfcl_pipeline.show.report.tables.model_scores import ModelScore
from bfcl_pipeline.show.report.tables.run_records import RunRecords

Key: TypeAlias = tuple[str, Rules]
"""A model and a rule set."""

SCORE = "overall"
"""The score that ranks."""

UNKNOWN: Mapping[str, Any] = dict.fromkeys(("rank_low", "rank_high", "rank_group", "detectable"))
"""The columns of a model that nothing can be compared with."""

_DIGITS = 6
"""Digits of a detectable difference: sums may differ by rounding between processors, tables must not."""


def rank_columns(
    records: RunRecords, scores: Sequence[ModelScore], sizes: Mapping[str, int] | None = None
) -> dict[Key, Mapping[str, Any]]:
    """The columns of each model and rule set.

    Args:
        records: of the run.
        scores: as `model_scores` returns them, in the order of ranks.
        sizes: of every category, its entries in means by size; None: those scored.
    """
    columns: dict[Key, Mapping[str, Any]] = {(score.model.name, score.rules): UNKNOWN for score in scores}
    judged = records.verdicts.select("rules", "model", "category", "entry_id", "valid").filter(
        pl.col("valid").is_not_null(), pl.col("category").is_in(categories_of(SCORE))
    )
    for rules in Rules:
        ranked = [score for score in scores if score.rules is rules and score.judged]
        columns |= _of_rules(judged.filter(pl.col("rules") == rules.value), ranked, sizes)
    return columns


def _of_rules(
    judged: pl.DataFrame, ranked: Sequence[ModelScore], sizes: Mapping[str, int] | None
) -> dict[Key, Mapping[str, Any]]:
    """The columns of models under one rule set, in the order of their ranks."""
    names = [score.model.name for score in ranked]
    weights = [_weights(score, sizes) for score in ranked]
    if len(ranked) < 2 or judged.is_empty():
        return {}
    entries = judged.select("category", "entry_id").unique().sort("category", "entry_id")
    categories, category = np.unique(entries["category"].to_numpy(), return_inverse=True)
    keys = [cluster_of(*entry) for entry in entries.iter_rows()]
    where = layout(category, number_keys(keys))
    of = pairs(
        _matrix(judged, entries, names),
        where,
        np.array([[by_name[str(name)] for name in categories] for by_name in weights]),
    )
    better = shown_better(of)
    return {
        (score.model.name, score.rules): {
            "rank_low": interval.low,
            "rank_high": interval.high,
            "rank_group": group,
            "detectable": None if error is None else round(detectable_difference(error), _DIGITS),
        }
        for score, interval, group, error in zip(
            ranked, rank_intervals(better), groups(better), errors_to_next(of), strict=True
        )
    }


def _weights(score: ModelScore, sizes: Mapping[str, int] | None) -> Mapping[str, float]:
    """The share of each category in the overall of a model, as in its row of the table."""
    scored = {name: tally.answered for name, tally in score.tallies.items() if tally.answered}
    return category_weights(SCORE, sizes or scored)


def _matrix(judged: pl.DataFrame, entries: pl.DataFrame, names: Sequence[str]) -> Floats:
    """The verdicts by model, then entry; nan where there is none."""
    places = judged.join(entries.with_row_index("entry"), on=["category", "entry_id"], how="inner").join(
        pl.DataFrame({"model": names}).with_row_index("place"), on="model", how="inner"
    )
    matrix: NDArray[np.float64] = np.full((len(names), len(entries)), np.nan)
    matrix[places["place"].to_numpy(), places["entry"].to_numpy()] = places["valid"].to_numpy()
    return matrix
