"""The tables of a run, built from its verdicts. Their columns are `report.columns`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from bfcl_pipeline.benchmark import CATEGORIES, parse_format
from bfcl_pipeline.benchmark.leaderboard import LEADERBOARD
from bfcl_pipeline.records import Rules, Status
from bfcl_pipeline.report.build_usage import usage
from bfcl_pipeline.report.collect import RunRecords
from bfcl_pipeline.report.columns import TABLES
from bfcl_pipeline.report.standings import Standing, Tally
from bfcl_pipeline.scoring.aggregate import wilson

MESSAGE_LENGTH = 300
"""How much of an example's error message a table keeps, in characters."""

_CATEGORY_ORDER = pl.Enum(list(CATEGORIES))
_RULES_ORDER = pl.Enum([rules.value for rules in Rules])
_STATUS_ORDER = pl.Enum([status.value for status in Status])


def build_tables(records: RunRecords, found: Sequence[Standing]) -> dict[str, pa.Table]:
    """Every table of `report.columns.TABLES` by name."""
    rows = {
        "leaderboard": _leaderboard(found),
        "categories": _categories(found),
        "error_types": _error_types(records),
        "formats": _formats(found),
        "rules": _rules(records, found),
        "coverage": _coverage(records),
        "usage": usage(records, {standing.model.name: standing.model for standing in found}),
    }
    return {
        name: pa.Table.from_pylist([{"run": records.run, **row} for row in rows[name]], schema=schema)
        for name, schema in TABLES.items()
    }


def _leaderboard(found: Sequence[Standing]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    ranks = dict.fromkeys(Rules, 0)
    for standing in found:
        ranks[standing.rules] += 1
        rows.append({"rank": ranks[standing.rules], **_leaderboard_row(standing)})
    return rows


def _leaderboard_row(standing: Standing) -> dict[str, Any]:
    model, usage, spread = standing.model, standing.usage, standing.spread
    entries = sum(tally.entries for tally in standing.tallies.values())
    answered = sum(tally.answered for tally in standing.tallies.values())
    return {
        "rules": standing.rules.value,
        "model": model.name,
        "display_name": model.display_name,
        "kind": model.kind or None,
        "mode": standing.mode,
        "web": standing.web,
        **_group_columns(standing),
        **_category_columns(standing),
        "format_max_delta": spread.max_delta if spread else None,
        "format_std": spread.std if spread else None,
        "entries": entries,
        "answered": answered,
        "not_answered": entries - answered,
        "cost_usd": usage.cost_usd,
        "latency_mean_seconds": usage.latency_mean_seconds,
        "latency_std_seconds": usage.latency_std_seconds,
        "latency_p95_seconds": usage.latency_p95_seconds,
        "org": model.org,
        "license": model.license,
        "url": model.url,
    }


def _group_columns(standing: Standing) -> dict[str, float | None]:
    columns: dict[str, float | None] = {}
    for group in LEADERBOARD:
        score = standing.scores[group.name]
        known = score.evaluated > 0 or group.name == "overall"
        columns[group.name] = score.accuracy if known else None
        columns[f"{group.name}_ci_low"] = score.interval.low if known else None
        columns[f"{group.name}_ci_high"] = score.interval.high if known else None
    return columns


def _category_columns(standing: Standing) -> dict[str, float | None]:
    scores = {name: standing.scores[name] for name in CATEGORIES}
    return {name: score.accuracy if score.complete else None for name, score in scores.items()}


def tally_columns(tally: Tally) -> dict[str, Any]:
    """The columns `entries` and those of `column_parts.tally`."""
    interval = wilson(tally.correct, tally.answered) if tally.answered else None
    return {
        "entries": tally.entries,
        "answered": tally.answered,
        "correct": tally.correct,
        "accuracy": tally.accuracy,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
    }


def _by_name(found: Sequence[Standing]) -> list[Standing]:
    order = list(Rules)
    return sorted(found, key=lambda standing: (standing.model.name, order.index(standing.rules)))


def _categories(found: Sequence[Standing]) -> list[dict[str, Any]]:
    return [
        {
            "model": standing.model.name,
            "rules": standing.rules.value,
            "category": name,
            "web": standing.webs.get(name),
            "release_entries": category.entries,
            **tally_columns(standing.tallies[name]),
            "not_answered": standing.tallies[name].entries - standing.tallies[name].answered,
        }
        for standing in _by_name(found)
        for name, category in CATEGORIES.items()
        if name in standing.tallies
    ]


def _formats(found: Sequence[Standing]) -> list[dict[str, Any]]:
    return [
        {
            "model": standing.model.name,
            "rules": standing.rules.value,
            "format": key,
            **_format_columns(key),
            **tally_columns(tally),
        }
        for standing in _by_name(found)
        for key, tally in standing.formats.items()
    ]


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
        .with_columns(
            _rules=pl.col("rules").cast(_RULES_ORDER), _category=pl.col("category").cast(_CATEGORY_ORDER)
        )
        .sort(
            ["model", "_rules", "_category", "count", "error_type"],
            descending=[False, False, False, True, False],
        )
    )
    return counted.drop("_rules", "_category").to_dicts()


def _rules(records: RunRecords, found: Sequence[Standing]) -> list[dict[str, Any]]:
    key = ["model", "category", "entry_id"]
    judged = records.verdicts.filter(pl.col("valid").is_not_null())
    official, corrected = (
        judged.filter(pl.col("rules") == rules.value).select(*key, pl.col("valid").alias(rules.value))
        for rules in Rules
    )
    compared = (
        official.join(corrected, on=key)
        .group_by("model", "category")
        .agg(
            entries=pl.len(),
            official_accuracy=pl.col("official").sum() / pl.len(),
            corrected_accuracy=pl.col("corrected").sum() / pl.len(),
            to_valid=(~pl.col("official") & pl.col("corrected")).sum(),
            to_invalid=(pl.col("official") & ~pl.col("corrected")).sum(),
            flipped=(pl.col("official") != pl.col("corrected")).sum(),
        )
        .with_columns(_category=pl.col("category").cast(_CATEGORY_ORDER))
        .sort("model", "_category")
    )
    webs = {standing.model.name: standing.webs for standing in found}
    return [
        {**row, "web": webs[row["model"]].get(row["category"])}
        for row in compared.drop("_category").iter_rows(named=True)
    ]


def _coverage(records: RunRecords) -> list[dict[str, Any]]:
    counted = (
        records.verdicts.unique(["model", "category", "entry_id"], maintain_order=True)
        .group_by("model", "category", "status")
        .agg(entries=pl.len())
        .with_columns(
            _category=pl.col("category").cast(_CATEGORY_ORDER), _status=pl.col("status").cast(_STATUS_ORDER)
        )
        .sort("model", "_category", "_status")
    )
    return counted.drop("_category", "_status").to_dicts()
