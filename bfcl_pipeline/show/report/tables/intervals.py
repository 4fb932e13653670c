"""How precise the scores of a run are, and the table `intervals`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD, Group
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.intervals import Precision, Scope, ScoredEntries, precisions
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits
from bfcl_pipeline.show.report.tables import spec
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


def _rows(made: spec.RunSources) -> Iterator[spec.Row]:
    for score in made.by_name:
        for name in (*(group.name for group in reversed(LEADERBOARD)), *V4_CATEGORIES):
            precision, limits = score.precisions.get(name), score.limits(name)
            if precision and limits:
                scenarios = precision.scenarios
                yield {
                    **score.key,
                    "score": name,
                    "entries": precision.entries,
                    "clusters": precision.clusters,
                    "accuracy": score.scores[name].accuracy,
                    "ci_low": limits[0],
                    "ci_high": limits[1],
                    "design_effect": rounded(precision.design_effect),
                    "effective_entries": rounded(precision.effective_entries),
                    "scenario_low": scenarios.low if scenarios else None,
                    "scenario_high": scenarios.high if scenarios else None,
                    **_limits("wide", precision.wide),
                    **_limits("full", precision.full),
                }


def _limits(name: str, limits: Limits | None) -> dict[str, float | None]:
    low, high = (None, None) if limits is None else (limits.low, limits.high)
    return {f"{name}_low": low, f"{name}_high": high}


def rounded(number: float | None) -> float | None:
    """A factor or a number of entries; what more digits say is how sums were rounded."""
    return None if number is None else round(number, _DIGITS)


_WIDE = "95 % interval if the benchmark had other APIs, function docs and scenarios; null if it is the same"
_FULL = "95 % interval of the score on all entries of the benchmark; null unless entries were drawn"

INTERVALS = spec.TableSpec(
    "intervals",
    "One row per model, rule set and score with verdicts: the overall, the other groups, the "
    "categories. The design effect of a group is the variance of its score over that of "
    "independent entries. [statistics.md](statistics.md) derives the columns. Memory has only "
    "five scenarios, too few for a reliable interval over scenarios: `scenario_low` and "
    "`scenario_high` show how much its scores depend on single ones.",
    [
        *spec.KEY,
        spec.text("score", "a column of `leaderboard`: a score or a category"),
        spec.count("entries", "entries of it with a judged response"),
        spec.CLUSTERS,
        spec.share("accuracy", "the score; what was not evaluated counts 0"),
        spec.share("ci_low", f"lower limit of its {spec.CLUSTERED}"),
        spec.share("ci_high", f"upper limit of its {spec.CLUSTERED}"),
        spec.DESIGN_EFFECT,
        spec.share("effective_entries?", "independent entries that would be as precise; null if unknown"),
        spec.share("scenario_low?", "memory: the lowest score with one scenario left out; else null"),
        spec.share("scenario_high?", "memory: the highest score with one scenario left out; else null"),
        spec.share("wide_low?", f"lower limit of its {_WIDE}"),
        spec.share("wide_high?", f"upper limit of its {_WIDE}"),
        spec.share("full_low?", f"lower limit of its {_FULL}"),
        spec.share("full_high?", f"upper limit of its {_FULL}"),
    ],
    rows=_rows,
    always=True,
)


TABLES = (INTERVALS,)
