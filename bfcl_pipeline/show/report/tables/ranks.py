"""The columns of the table `leaderboard` on ranks: which models the verdicts of a run can tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition.leaderboard import categories_of, category_weights
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.intervals import Scope, ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats
from bfcl_pipeline.judge.scoring.statistics.paired import Paired, compare_paired, composite_difference
from bfcl_pipeline.judge.scoring.statistics.power import by_interval
from bfcl_pipeline.judge.scoring.statistics.ranks import groups, pairs, rank_intervals, shown_better
from bfcl_pipeline.show.report.tables.spec import RunSources

SCORE = "overall"
"""The score that ranks."""

_SCOPES = 8
"""Sets of entries with verdicts that are kept: models without failures have the same ones."""


def ranks_of_run(made: RunSources, rules: Rules, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """As `ranks_of_models`, of the models of a run under one rule set."""
    judged = made.records.verdicts.select("rules", "model", "category", "entry_id", "valid").filter(
        pl.col("rules") == rules.value,
        pl.col("valid").is_not_null(),
        pl.col("category").is_in(categories_of(SCORE)),
    )
    return ranks_of_models(judged, names, made.sizes)


def ranks_of_models(
    judged: pl.DataFrame, names: Sequence[str], sizes: Mapping[str, int] | None
) -> dict[str, dict[str, Any]]:
    """The columns on ranks of models by name; none if there are fewer than two, or no verdict.

    Args:
        judged: has the columns model, category, entry_id and valid, of the entries of the overall.
        names: of the models in the order of ranks.
        sizes: of every category, its entries in means by size; None: those with a verdict.
    """
    if len(names) < 2 or judged.is_empty():
        return {}
    entries = judged.select("category", "entry_id").unique().sort("category", "entry_id")
    scored, verdicts = ScoredEntries(entries.rows()), _matrix(judged, entries, names)
    has = ~np.isnan(verdicts)
    everything = scored.scope(np.arange(len(entries)))
    where = everything.where
    asked = [np.bincount(where.category[of], minlength=where.categories) for of in has]
    weights = []
    for counts in asked:
        own = {name: int(n) for name, n in zip(everything.categories, counts, strict=True) if n}
        shares = category_weights(SCORE, sizes or own)
        weights.append([shares[name] for name in everything.categories])

    @lru_cache(maxsize=_SCOPES)
    def scope_of(numbers: bytes) -> Scope:
        return scored.scope(np.frombuffer(numbers, np.int64), sizes)

    def compared(first: int, second: int) -> tuple[Paired, Scope] | None:
        """As `compare` does, on the entries that both have verdicts on; None if their categories differ."""
        if not np.array_equal(asked[first] > 0, asked[second] > 0):
            return None
        both = np.flatnonzero(has[first] & has[second])
        if not len(both):
            return None
        scope = scope_of(both.tobytes())
        return compare_paired(verdicts[first, both], verdicts[second, both], scope.where), scope

    def shows(first: int, second: int) -> bool:
        found = compared(first, second)
        return found is None or composite_difference(found[0], found[1].groups[-1].weights).low > 0

    def detectable(place: int) -> float | None:
        found = compared(place, place + 1) if place + 1 < len(names) else None
        if found is None or not found[0].squares.any():
            return None
        return by_interval(found[0], found[1].where, found[1].groups[-1].weights)

    better = shown_better(pairs(verdicts, where, np.array(weights)), shows)
    return {
        name: {
            "rank_low": interval.low,
            "rank_high": interval.high,
            "rank_group": group,
            "detectable": detectable(place),
        }
        for place, (name, interval, group) in enumerate(
            zip(names, rank_intervals(better), groups(better), strict=True)
        )
    }


def _matrix(judged: pl.DataFrame, entries: pl.DataFrame, names: Sequence[str]) -> Floats:
    """The verdicts by model, then entry; nan where there is none."""
    places = judged.join(entries.with_row_index("entry"), on=["category", "entry_id"], how="inner").join(
        pl.DataFrame({"model": names}).with_row_index("place"), on="model", how="inner"
    )
    matrix: NDArray[np.float64] = np.full((len(names), len(entries)), np.nan)
    matrix[places["place"].to_numpy(), places["entry"].to_numpy()] = places["valid"].to_numpy()
    return matrix
