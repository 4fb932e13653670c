"""How precise the scores of a run are: the rows of the table `intervals`, and columns of `categories`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD, Group
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.aggregate import Score
from bfcl_pipeline.judge.scoring.intervals import Precision, Scope, ScoredEntries, precisions
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits
from bfcl_pipeline.show.report.tables.run_records import RunRecords

_KEY = ["category", "entry_id"]

_DIGITS = 6

_SCOPES = 8
"""Sets of answered entries that are kept: models without failures have the same ones, by rule set."""


def precisions_of_run(
    records: RunRecords, sizes: Mapping[str, int] | None = None, groups: Sequence[Group] = LEADERBOARD
) -> dict[tuple[str, Rules], dict[str, Precision]]:
    """The precision of every category and group with a verdict, by model and rule set.

    Args:
        records: of the run.
        sizes: of every category, its entries in means by size; None: those with a verdict.
        groups: the means of categories, members before the groups with them.
    """
    entries = records.verdicts.select(_KEY).unique().sort(_KEY)
    scored = ScoredEntries(entries.rows())
    entries = entries.with_columns(number=pl.int_range(pl.len(), dtype=pl.Int64))

    @lru_cache(maxsize=_SCOPES)
    def scope_of(numbers: bytes) -> Scope:
        return scored.scope(np.frombuffer(numbers, np.int64), sizes, groups)

    found = {}
    start = 0
    # A slice for each model: the verdicts are sorted by model, and all of them at once are large.
    for model, rows in records.verdicts.group_by("model", maintain_order=True).len().iter_rows():
        own = records.verdicts.slice(start, rows).select(*_KEY, "rules", "valid").drop_nulls("valid")
        start += rows
        numbered = own.join(entries, on=_KEY, how="left").sort("number")
        for rules in Rules:
            of_rules = numbered.filter(pl.col("rules") == rules.value)
            if not of_rules.is_empty():
                scope = scope_of(of_rules["number"].to_numpy().tobytes())
                found[model, rules] = precisions(of_rules["valid"].to_numpy(), scope)
    return found


def precision_columns(precision: Precision | None) -> dict[str, Any]:
    """The columns of `categories` on precision; nulls without a verdict."""
    return {
        "ci_low": precision.low if precision else None,
        "ci_high": precision.high if precision else None,
        "clusters": precision.clusters if precision else 0,
        "design_effect": _rounded(precision.design_effect) if precision else None,
    }


def limits(score: Score, precision: Precision) -> Limits:
    """The interval of a score, which contains it also where the sums were rounded differently."""
    return Limits(min(precision.low, score.accuracy), max(precision.high, score.accuracy))


def interval_rows(scores: Mapping[str, Score], found: Mapping[str, Precision]) -> Iterator[dict[str, Any]]:
    """The rows of `intervals` of one model under one rule set: groups from the overall on, then categories.

    Args:
        scores: as `leaderboard_scores` returns them.
        found: as `precisions` returns them.
    """
    for name in (*(group.name for group in reversed(LEADERBOARD)), *V4_CATEGORIES):
        if name in found:
            precision, interval = found[name], limits(scores[name], found[name])
            yield {
                "score": name,
                "entries": precision.entries,
                "clusters": precision.clusters,
                "accuracy": scores[name].accuracy,
                "ci_low": interval.low,
                "ci_high": interval.high,
                "design_effect": _rounded(precision.design_effect),
                "effective_entries": _rounded(precision.effective_entries),
                "scenario_low": precision.scenarios.low if precision.scenarios else None,
                "scenario_high": precision.scenarios.high if precision.scenarios else None,
            }


def _rounded(number: float | None) -> float | None:
    """A factor or a number of entries; what more digits say is how sums were rounded."""
    return None if number is None else round(number, _DIGITS)
