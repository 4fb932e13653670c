"""The table `leaderboard`: the scores of every model under each rule set, with ranks and usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD as GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import Group, categories_of, category_weights
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.intervals import Scope, ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats
from bfcl_pipeline.judge.scoring.statistics.paired import Paired, compare_paired, composite_difference
from bfcl_pipeline.judge.scoring.statistics.power import by_interval
from bfcl_pipeline.judge.scoring.statistics.ranks import groups, pairs, rank_intervals, shown_better
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.model_scores import ModelScore

SCORE = "overall"
"""The score that ranks."""

_SCOPES = 8
"""Sets of entries with verdicts that are kept: models without failures have the same ones."""


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


SCORES = (*(group.name for group in reversed(GROUPS)), *V4_CATEGORIES)
"""The columns of the table `leaderboard` that are scores, in its order."""


def leaderboard_rows(made: spec.RunSources) -> list[spec.Row]:
    """The rows: official rules first, then by rank. For other tables: `made.once(leaderboard_rows)`."""
    judged = made.records.verdicts.select("rules", "model", "category", "entry_id", "valid").filter(
        pl.col("valid").is_not_null(), pl.col("category").is_in(categories_of(SCORE))
    )
    rows: list[spec.Row] = []
    for rules in Rules:
        own = [score for score in made.scores if score.rules is rules]
        ranked = [score for score in own if score.judged]  # the others come after them
        names = [score.model.name for score in ranked]
        ranks = ranks_of_models(judged.filter(pl.col("rules") == rules.value), names, made.sizes)
        places = [{"rank": rank, **ranks.get(name, {})} for rank, name in enumerate(names, start=1)]
        places += [{}] * (len(own) - len(ranked))
        rows += [{**place, **_columns(score)} for place, score in zip(places, own, strict=True)]
    return rows


def _columns(score: ModelScore) -> dict[str, Any]:
    entries = sum(tally.entries for tally in score.of_v4.values())
    answered = sum(tally.answered for tally in score.of_v4.values())
    columns: dict[str, Any] = {
        **score.key,
        **{name: getattr(score.model, name) for name in ("display_name", "org", "license", "url")},
        **score.numbers,
        "kind": score.model.kind or None,
        "mode": score.mode,
        "web": score.web(),
        "entries": entries,
        "answered": answered,
        "not_answered": entries - answered,
    }
    for group in GROUPS:
        known = score.scores[group.name].evaluated > 0 or (group.name == SCORE and score.judged)
        columns |= score.columns(group.name, known)
    for name in V4_CATEGORIES:
        found = score.scores[name]
        columns[name] = found.accuracy if found.complete else None
    return columns


def _group_fields(group: Group) -> list[pa.Field[Any]]:
    missing = "" if group.name == SCORE else "; null if nothing of it was evaluated"
    return spec.score(group.name, f"{spec.describe_mean(group)}; what was not evaluated counts 0{missing}")


RANK_FIELDS: tuple[pa.Field[Any], ...] = (
    spec.count("rank_low?", "best rank that the verdicts allow: 1 + models shown to be better"),
    spec.count("rank_high?", "worst rank that the verdicts allow: models but those shown to be worse"),
    spec.count("rank_group?", "from 1; no model of a group is shown to be worse than its first"),
    spec.share(
        "detectable?",
        "smallest true difference from the next model that these entries show with 80 % power",
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""

UNKNOWN: Mapping[str, Any] = dict.fromkeys(field.name for field in RANK_FIELDS)
"""These columns of a model that nothing can be compared with."""


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
        spec.text("kind?", "what answers, from the model's row; null if it has none"),
        spec.text("mode", "fc or prompt"),
        spec.WEB,
        *(column for group in reversed(GROUPS) for column in _group_fields(group)),
        *(
            spec.share(f"{name}?", f"accuracy on {name}; null if it was not evaluated")
            for name in V4_CATEGORIES
        ),
        spec.share("format_max_delta?", "best prompt format minus worst, in percentage points"),
        spec.share("format_std?", "standard deviation over prompt formats, in percentage points"),
        spec.count("entries", "entries asked, of all categories"),
        spec.count("answered", "entries with a judged response"),
        spec.count("not_answered", "entries without a verdict: in no score"),
        spec.share("cost_usd?", "cost in US dollars as the leaderboard reckons it; null if unknown"),
        spec.share("latency_mean_seconds?", "mean latency of an exchange"),
        spec.share("latency_std_seconds?", "sample standard deviation of the latencies"),
        spec.share("latency_p95_seconds?", "95th percentile of the latencies"),
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
