"""The table on what each category took: requests, tokens, dollars and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.records import Step
from bfcl_pipeline.report.collect import RunRecords
from bfcl_pipeline.scoring.usage import add_up

ENTRIES, SESSIONS = "entries", "sessions"
"""The values of the column `part`."""


def usage(records: RunRecords, rows: Mapping[str, ModelRow]) -> Iterator[dict[str, Any]]:
    """The rows of `usage`; `rows` describes every model."""
    parts = {SESSIONS: _steps(records.sessions), ENTRIES: _steps(records.responses)}
    for model in sorted(rows):
        for category in CATEGORIES:
            for part, steps in parts.items():
                entries = steps.get((model, category))
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


def _steps(frame: pl.DataFrame) -> dict[tuple[str, str], list[list[Step]]]:
    """The exchanges of each response by model and category."""
    found: dict[tuple[str, str], list[list[Step]]] = {}
    for model, category, steps in frame.select("model", "category", "steps").iter_rows():
        exchanges = [Step(**step) for step in steps or ()]
        found.setdefault((model, category), []).append(exchanges)
    return found
