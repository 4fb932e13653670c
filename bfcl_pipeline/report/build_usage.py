"""The table on what each category took: requests, tokens, dollars and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.records import Step
from bfcl_pipeline.report.collect import RunRecords, by_model
from bfcl_pipeline.scoring.usage import add_up

ENTRIES, SESSIONS = "entries", "sessions"
"""The values of the column `part`."""


def usage(records: RunRecords, rows: Mapping[str, ModelRow]) -> Iterator[dict[str, Any]]:
    """The rows of `usage`; `rows` describes every model."""
    asked = {SESSIONS: by_model(records.sessions), ENTRIES: by_model(records.responses)}
    for model in sorted(rows):
        parts = {part: _steps(frames[model]) for part, frames in asked.items() if model in frames}
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
    found: dict[str, list[list[Step]]] = {}
    for category, steps in frame.select("category", "steps").iter_rows():
        found.setdefault(category, []).append([Step(**step) for step in steps or ()])
    return found
