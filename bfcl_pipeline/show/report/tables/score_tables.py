"""The rows of the tables on scores and usage. Their columns are in `report.tables.columns`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, parse_format
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD
from bfcl_pipeline.benchmark.records import Rules, Step
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson
from bfcl_pipeline.judge.scoring.usage import add_up
from bfcl_pipeline.show.report.tables.intervals import interval_rows, limits, precision_columns
from bfcl_pipeline.show.report.tables.model_scores import ModelScore, VerdictCounts
from bfcl_pipeline.show.report.tables.ranks import Key, rank_columns
from bfcl_pipeline.show.report.tables.rules_table import rules_rows
from bfcl_pipeline.show.report.tables.run_records import RunRecords, by_model, in_order

ENTRIES, SESSIONS = "entries", "sessions"
"""The values of the column `part`."""

SCORES = (*(group.name for group in reversed(LEADERBOARD)), *V4_CATEGORIES)
"""The columns of the table `leaderboard` that are scores, in its order."""

MESSAGE_LENGTH = 300
"""Characters of an error message in the table `error_types`."""

UNKNOWN_REASON = "the responses do not state a reason"

MISSING_REASON = "its step failed before it had results; logs/ has the log of each step"


def score_tables(
    records: RunRecords,
    scores: Sequence[ModelScore],
    mended: Collection[str] = (),
    sizes: Mapping[str, int] | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table of `columns.TABLES` by its name, without the column `run`.

    Args:
        records: of the run.
        scores: as `model_scores` returns them.
        mended: the entries with a mended truth under verified rules.
        sizes: of every category, its entries in means by size; None: those scored.
    """
    order = list(Rules)
    by_name = sorted(scores, key=lambda score: (score.model.name, order.index(score.rules)))
    return {
        "leaderboard": _leaderboard(scores, rank_columns(records, scores, sizes)),
        "categories": [
            {
                **_key(score),
                "category": name,
                "web": score.webs.get(name),
                "release_entries": category.entries,
                **tally_columns(score.tallies[name]),
                **precision_columns(score.precisions.get(name)),
                "not_answered": score.tallies[name].entries - score.tallies[name].answered,
            }
            for score in by_name
            for name, category in CATEGORIES.items()
            if name in score.tallies
        ],
        "error_types": _error_types(records),
        "formats": [
            {**_key(score), "format": key, **_format_columns(key), **tally_columns(tally)}
            for score in by_name
            for key, tally in score.formats.items()
        ],
        "rules": rules_rows(records, scores, mended),
        "coverage": _coverage(records),
        "intervals": [
            {**_key(score), **row}
            for score in by_name
            for row in interval_rows(score.scores, score.precisions)
        ],
        "usage": list(_usage(records, {score.model.name: score.model for score in scores})),
    }


def _key(score: ModelScore) -> dict[str, Any]:
    return {"model": score.model.name, "rules": score.rules.value}


def _leaderboard(
    scores: Sequence[ModelScore], ranked: Mapping[Key, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    ranks = dict.fromkeys(Rules, 0)
    for score in scores:
        ranks[score.rules] += score.judged
        rank = ranks[score.rules] if score.judged else None
        of_rank = ranked[score.model.name, score.rules]
        rows.append({"rank": rank, **of_rank, **_key(score), **_leaderboard_columns(score)})
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
    for group in LEADERBOARD:
        of_group, precision = score.scores[group.name], score.precisions.get(group.name)
        known = of_group.evaluated > 0 or (group.name == "overall" and score.judged)
        accuracy = of_group.accuracy if known else None
        columns[group.name] = accuracy
        interval = limits(of_group, precision) if precision else None
        # Without one, a known score is the 0 of an Overall of which nothing was evaluated.
        columns[f"{group.name}_ci_low"] = interval.low if interval else accuracy
        columns[f"{group.name}_ci_high"] = interval.high if interval else accuracy
    return columns


def tally_columns(tally: VerdictCounts) -> dict[str, Any]:
    """The columns `entries` and those of `columns.tally`, for entries that do not share clusters.

    That holds for the parts of one category by prompt format, by memory scenario and by hops: each has one
    entry of a base entry or a question.
    """
    share = tally.accuracy
    interval = None if share is None else wilson(share, tally.answered)
    return {
        "entries": tally.entries,
        "answered": tally.answered,
        "correct": tally.correct,
        "accuracy": tally.accuracy,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
    }


def _format_columns(key: str) -> Mapping[str, Any]:
    fmt = parse_format(key)
    return {
        "return_format": fmt.return_format.value,
        "tool_call_tag": fmt.tool_call_tag,
        "doc_format": fmt.doc_format,
        "layout": fmt.layout,
        "style": fmt.style,
    }


def _error_types(records: RunRecords) -> list[dict[str, Any]]:
    key = ["model", "rules", "category", "error_type"]
    counted = (
        records.verdicts.filter(pl.col("valid").not_())
        .with_columns(pl.col("error_type").fill_null("unnamed"))
        .group_by(key, maintain_order=True)
        .agg(
            count=pl.len(),
            example_entry_id=pl.col("entry_id").first(),
            example_message=pl.col("error_message").first().str.slice(0, MESSAGE_LENGTH),
        )
        .sort("count", "error_type", descending=[True, False])
    )
    return in_order(counted, "model", "rules", "category").to_dicts()


def _coverage(records: RunRecords) -> list[dict[str, Any]]:
    counted = (
        records.verdicts.unique(["model", "category", "entry_id"], maintain_order=True)
        .group_by("model", "category", "status")
        .agg(entries=pl.len())
    )
    return in_order(counted, "model", "category", "status").to_dicts()


def _usage(records: RunRecords, rows: Mapping[str, ModelRow]) -> Iterator[dict[str, Any]]:
    """The rows of `usage`.

    rows: the model row of every model.
    """
    answers = {SESSIONS: by_model(records.sessions.rows), ENTRIES: by_model(records.responses.rows)}
    for model in sorted(rows):
        parts = {part: _steps(frames[model]) for part, frames in answers.items() if model in frames}
        for category in CATEGORIES:
            for part, steps in parts.items():
                entries = steps.get(category)
                if entries is None:
                    continue
                taken = add_up(entries, rows[model].input_price, rows[model].output_price)
                yield {
                    "model": model,
                    "category": category,
                    "part": part,
                    "entries": len(entries),
                    **asdict(taken),
                }


def _steps(frame: pl.DataFrame) -> dict[str, list[list[Step]]]:
    """The exchanges of each response of one model, by category."""
    steps_of: dict[str, list[list[Step]]] = {}
    for category, steps in frame.select("category", "steps").iter_rows():
        steps_of.setdefault(category, []).append([Step(**step) for step in steps or ()])
    return steps_of


def unanswered_rows(
    records: RunRecords, scores: Sequence[ModelScore], missing: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """The rows of `unanswered`: models without any verdict, of V4 or not, then those without responses.

    scores: of one rule set. missing: the models without responses.
    """
    for score in scores:
        if not any(tally.answered for tally in score.tallies.values()):
            read = records.responses.read(score.model.name, score.tallies, ["status_detail"])
            details = {row["status_detail"] for row in read if row["status_detail"]}
            yield {
                "model": score.model.name,
                "entries": sum(tally.entries for tally in score.tallies.values()),
                "reason": min(details, key=lambda detail: (len(detail), detail), default=UNKNOWN_REASON),
            }
    for model in missing:
        yield {"model": model, "entries": None, "reason": MISSING_REASON}
