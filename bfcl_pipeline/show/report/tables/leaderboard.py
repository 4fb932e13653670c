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
from bfcl_pipeline.show.report.tables.intervals import limits
from bfcl_pipeline.show.report.tables.model_scores import ModelScore
from bfcl_pipeline.show.report.tables.run_records import RunRecords
from bfcl_pipeline.show.report.tables.spec import (
    CLUSTERED,
    COUNT,
    MODEL,
    RULES,
    RUN,
    SHARE,
    TEXT,
    WEB,
    Row,
    RunSources,
    TableSpec,
    field,
)

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
        weights = {score.model.name: _weights(score, sizes) for score in ranked}
        of_rules = ranks_of_models(judged.filter(pl.col("rules") == rules.value), weights)
        columns |= {(name, rules): of_model for name, of_model in of_rules.items()}
    return columns


def ranks_of_models(
    judged: pl.DataFrame, weights: Mapping[str, Mapping[str, float]]
) -> dict[str, Mapping[str, Any]]:
    """The columns on ranks of models by name; none if there are fewer than two, or no verdict.

    Args:
        judged: has the columns model, category, entry_id and valid, of the entries of the overall.
        weights: of each model in the order of ranks, the share of each category in its overall.
    """
    if len(weights) < 2 or judged.is_empty():
        return {}
    entries = judged.select("category", "entry_id").unique().sort("category", "entry_id")
    categories, category = np.unique(entries["category"].to_numpy(), return_inverse=True)
    where = layout(category, number_keys([cluster_of(*entry) for entry in entries.iter_rows()]))
    shares = [[of_model.get(str(name), 0.0) for name in categories] for of_model in weights.values()]
    of = pairs(_matrix(judged, entries, list(weights)), where, np.array(shares))
    better = shown_better(of)
    return {
        name: {
            "rank_low": interval.low,
            "rank_high": interval.high,
            "rank_group": group,
            "detectable": None if error is None else round(detectable_difference(error), _DIGITS),
        }
        for name, interval, group, error in zip(
            weights, rank_intervals(better), groups(better), errors_to_next(of), strict=True
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


def leaderboard_rows(made: RunSources) -> list[Row]:
    """The rows: official rules first, then by rank. For other tables: `made.once(leaderboard_rows)`."""
    ranked = rank_columns(made.records, made.scores, made.sizes)
    rows: list[Row] = []
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
        field(group.name, SHARE, about),
        field(f"{group.name}_ci_low", SHARE, f"lower limit of its {CLUSTERED}"),
        field(f"{group.name}_ci_high", SHARE, f"upper limit of its {CLUSTERED}"),
    ]


RANK_FIELDS: tuple[pa.Field[Any], ...] = (
    field("rank_low", COUNT, "best rank that the verdicts allow: 1 + models shown to be better"),
    field("rank_high", COUNT, "worst rank that the verdicts allow: models but those shown to be worse"),
    field("rank_group", COUNT, "from 1; no model of a group is shown to be worse than its first"),
    field(
        "detectable",
        SHARE,
        "smallest true difference from the next model that these entries show with 80 % power",
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""


LEADERBOARD = TableSpec(
    "leaderboard",
    "One row per model and rule set, official rules first, then by rank.",
    [
        RUN,
        RULES,
        field("rank", COUNT, "by overall, highest first; ties in the order of names", nullable=False),
        *RANK_FIELDS,
        MODEL,
        field("display_name", TEXT, "name on the leaderboard", nullable=False),
        field("kind", TEXT, "what answers, from the model's row; null if it has none"),
        field("mode", TEXT, "fc or prompt", nullable=False),
        WEB,
        *(column for group in reversed(GROUPS) for column in _group_fields(group)),
        *(
            field(name, SHARE, f"accuracy on {name}; null if it was not evaluated")
            for name in V4_CATEGORIES
        ),
        field("format_max_delta", SHARE, "best prompt format minus worst, in percentage points"),
        field("format_std", SHARE, "standard deviation over prompt formats, in percentage points"),
        field("entries", COUNT, "entries asked, of all categories", nullable=False),
        field("answered", COUNT, "entries with a judged response", nullable=False),
        field("not_answered", COUNT, "entries without a verdict: in no score", nullable=False),
        field("cost_usd", SHARE, "cost in US dollars as the leaderboard reckons it; null if unknown"),
        field("latency_mean_seconds", SHARE, "mean latency of an exchange"),
        field("latency_std_seconds", SHARE, "sample standard deviation of the latencies"),
        field("latency_p95_seconds", SHARE, "95th percentile of the latencies"),
        field("org", TEXT, "who made the model", nullable=False),
        field("license", TEXT, "the model's license", nullable=False),
        field("url", TEXT, "where the model is described", nullable=False),
    ],
    rows=lambda made: made.once(leaderboard_rows),
    always=True,
)


def with_unranked(schema: pa.Schema) -> pa.Schema:
    """The schema of `leaderboard` with models that have no rank, as they have no verdict."""
    place = schema.get_field_index("rank")
    return schema.set(place, schema.field(place).with_nullable(True))
