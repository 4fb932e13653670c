"""The table `leaderboard`: the scores of every model under each rule set, with ranks and usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD as GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import Group, Mean, categories_of, category_weights
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
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.intervals import limits
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
    """The columns on ranks by the overall score, as the table shows it, of each model and rule set.

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


SCORES = (*(group.name for group in reversed(GROUPS)), *V4_CATEGORIES)
"""The columns of the table `leaderboard` that are scores, in its order."""


def leaderboard_rows(made: spec.RunSources) -> list[spec.Row]:
    """The rows: official rules first, then by rank. For other tables: `made.once(leaderboard_rows)`."""
    ranked = rank_columns(made.records, made.scores, made.sizes)
    rows: list[spec.Row] = []
    ranks = dict.fromkeys(Rules, 0)
    for score in made.scores:
        ranks[score.rules] += score.judged
        rank = ranks[score.rules] if score.judged else None
        key = {"model": score.model.name, "rules": score.rules.value}
        of_rank = ranked[score.model.name, score.rules]
        rows.append({"rank": rank, **of_rank, **key, **_leaderboard_columns(score)})
    return rows


def _leaderboard_columns(score: ModelScore) -> dict[str, Any]:
    entries = sum(tally.entries for tally in score.of_v4.values())
    answered = sum(tally.answered for tally in score.of_v4.values())
    categories = {name: score.scores[name] for name in V4_CATEGORIES}
    return {
        "display_name": score.model.display_name,
        "kind": score.model.kind or None,
        "mode": score.mode,
        "web": score.web,
        **_group_columns(score),
        **{name: found.accuracy if found.complete else None for name, found in categories.items()},
        "format_max_delta": score.spread.max_delta if score.spread else None,
        "format_std": score.spread.std if score.spread else None,
        "entries": entries,
        "answered": answered,
        "not_answered": entries - answered,
        "cost_usd": score.usage.cost_usd,
        "latency_mean_seconds": score.usage.latency_mean_seconds,
        "latency_std_seconds": score.usage.latency_std_seconds,
        "latency_p95_seconds": score.usage.latency_p95_seconds,
        "org": score.model.org,
        "license": score.model.license,
        "url": score.model.url,
    }


def _group_columns(score: ModelScore) -> dict[str, float | None]:
    columns: dict[str, float | None] = {}
    for group in GROUPS:
        of_group, precision = score.scores[group.name], score.precisions.get(group.name)
        known = of_group.evaluated > 0 or (group.name == "overall" and score.judged)
        accuracy = of_group.accuracy if known else None
        columns[group.name] = accuracy
        interval = limits(of_group, precision) if precision else None
        # Without one, a known score is the 0 of an Overall of which nothing was evaluated.
        columns[f"{group.name}_ci_low"] = interval.low if interval else accuracy
        columns[f"{group.name}_ci_high"] = interval.high if interval else accuracy
    return columns


def _group_fields(group: Group) -> list[pa.Field[Any]]:
    how = {
        Mean.EQUAL: "mean of {}",
        Mean.BY_SIZE: "mean of {}, by judged entries",
        Mean.WEIGHTED: "weighted mean of {}",
    }[group.mean]
    names = ", ".join(
        f"{m.weight} % {m.name}" if group.mean is Mean.WEIGHTED else m.name for m in group.members
    )
    missing = "" if group.name == "overall" else "; null if nothing of it was evaluated"
    about = f"{how.format(names)}; what was not evaluated counts 0{missing}"
    return [
        spec.share(group.name, about, null=True),
        spec.share(f"{group.name}_ci_low", f"lower limit of its {spec.CLUSTERED}", null=True),
        spec.share(f"{group.name}_ci_high", f"upper limit of its {spec.CLUSTERED}", null=True),
    ]


RANK_FIELDS: tuple[pa.Field[Any], ...] = (
    spec.count("rank_low", "best rank that the verdicts allow: 1 + models shown to be better", null=True),
    spec.count(
        "rank_high", "worst rank that the verdicts allow: models but those shown to be worse", null=True
    ),
    spec.count("rank_group", "from 1; no model of a group is shown to be worse than its first", null=True),
    spec.share(
        "detectable",
        "smallest true difference from the next model that these entries show with 80 % power",
        null=True,
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""


LEADERBOARD = spec.TableSpec(
    "leaderboard",
    "One row per model and rule set, official rules first, then by rank.",
    [
        spec.RUN,
        spec.RULES,
        spec.count("rank", "by overall, highest first; ties in the order of names"),
        *RANK_FIELDS,
        spec.MODEL,
        spec.text("display_name", "name on the leaderboard"),
        spec.text("kind", "what answers, from the model's row; null if it has none", null=True),
        spec.text("mode", "fc or prompt"),
        spec.WEB,
        *(column for group in reversed(GROUPS) for column in _group_fields(group)),
        *(
            spec.share(name, f"accuracy on {name}; null if it was not evaluated", null=True)
            for name in V4_CATEGORIES
        ),
        spec.share("format_max_delta", "best prompt format minus worst, in percentage points", null=True),
        spec.share("format_std", "standard deviation over prompt formats, in percentage points", null=True),
        spec.count("entries", "entries asked, of all categories"),
        spec.count("answered", "entries with a judged response"),
        spec.count("not_answered", "entries without a verdict: in no score"),
        spec.share(
            "cost_usd", "cost in US dollars as the leaderboard reckons it; null if unknown", null=True
        ),
        spec.share("latency_mean_seconds", "mean latency of an exchange", null=True),
        spec.share("latency_std_seconds", "sample standard deviation of the latencies", null=True),
        spec.share("latency_p95_seconds", "95th percentile of the latencies", null=True),
        spec.text("org", "who made the model"),
        spec.text("license", "the model's license"),
        spec.text("url", "where the model is described"),
    ],
    rows=lambda made: made.once(leaderboard_rows),
    always=True,
)


def with_unranked(schema: pa.Schema) -> pa.Schema:
    """The schema of `leaderboard` with models that have no rank, as they have no verdict."""
    place = schema.get_field_index("rank")
    return schema.set(place, schema.field(place).with_nullable(True))
