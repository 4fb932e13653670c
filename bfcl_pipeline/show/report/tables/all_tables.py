"""Every table under `results/<run>/tables`, in the order of docs/tables.md.

A table of a module below is in its `TABLES`; a new module has its place here.
"""

from collections.abc import Mapping

import pyarrow as pa

from bfcl_pipeline.benchmark.tables.schemas import COMPARISONS, FLIPS
from bfcl_pipeline.show.report.tables import (
    answer_classes,
    corrections,
    errata_tables,
    executable,
    intervals,
    leaderboard,
    memory,
    memory_questions,
    omitted,
    published,
    score_tables,
    trials,
    web,
)
from bfcl_pipeline.show.report.tables.spec import Column, ColumnKind, TableSpec

_MODULES = (
    *(leaderboard, score_tables, intervals, trials, omitted, executable, errata_tables, corrections),
    *(answer_classes, memory, web, memory_questions, published),
)


def _columns(schema: pa.Schema) -> list[Column]:
    abouts = ((field.metadata or {})[b"description"].decode() for field in schema)
    return [
        Column(field.name, ColumnKind(str(field.type)), about, field.nullable)
        for field, about in zip(schema, abouts, strict=True)
    ]


_COMPARED = (  # which `show.compare` writes
    TableSpec(
        "comparisons",
        "One row per pair and score: groups from the overall on, then categories.",
        _columns(COMPARISONS),
    ),
    TableSpec(
        "flips",
        "One row per pair and entry that only one of the two has right, in benchmark order.",
        _columns(FLIPS),
    ),
)

TABLES: Mapping[str, TableSpec] = {
    table.name: table for tables in (*(module.TABLES for module in _MODULES), _COMPARED) for table in tables
}
"""The tables by name. Published scores and comparisons are written by steps of their own."""
