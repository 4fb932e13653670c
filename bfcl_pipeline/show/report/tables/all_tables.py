"""Every table under `results/<run>/tables`, in the order of docs/tables.md.

A table of a module below is in its `TABLES`; a new module has its place here.
"""

from collections.abc import Mapping

from bfcl_pipeline.show.report.tables import (
    answer_classes,
    comparisons,
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
from bfcl_pipeline.show.report.tables.spec import TableSpec

_MODULES = (
    *(leaderboard, score_tables, intervals, trials, omitted, executable, errata_tables, corrections),
    *(answer_classes, memory, web, memory_questions, published, comparisons),
)

TABLES: Mapping[str, TableSpec] = {table.name: table for module in _MODULES for table in module.TABLES}
"""The tables by name. Published scores and comparisons are written by steps of their own."""
