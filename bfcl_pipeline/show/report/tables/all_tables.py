"""Every table under `results/<run>/tables`, in the order and the chapters of docs/tables.md."""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.tables.schemas import COMPARISONS, FLIPS
from bfcl_pipeline.show.report.tables import answer_classes as classes
from bfcl_pipeline.show.report.tables import errata_tables as errata
from bfcl_pipeline.show.report.tables import memory, published, trials, web
from bfcl_pipeline.show.report.tables import memory_questions as questions
from bfcl_pipeline.show.report.tables import score_tables as scores
from bfcl_pipeline.show.report.tables.executable import EXECUTABLE_SCORES
from bfcl_pipeline.show.report.tables.intervals import INTERVALS
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD
from bfcl_pipeline.show.report.tables.omitted import OMITTED
from bfcl_pipeline.show.report.tables.spec import TableSpec

CHAPTERS: Mapping[str, Sequence[TableSpec]] = {
    "Every run": (
        LEADERBOARD,
        scores.CATEGORY_SCORES,
        scores.ERROR_TYPES,
        scores.FORMAT_SCORES,
        scores.RULES_COMPARED,
        scores.COVERAGE,
        scores.USAGE,
        INTERVALS,
    ),
    "Trials": trials.TABLES,
    "What has no answer": (OMITTED, scores.UNANSWERED),
    "Executable categories of V1": (EXECUTABLE_SCORES,),
    "Ceilings, errata and classes of answers": (*errata.TABLES, *classes.TABLES),
    "Memory and web search": (memory.MEMORY_DOMAINS, memory.MEMORY_USE, *web.TABLES),
    "Memory questions": (*questions.TABLES, memory.MEMORY_PATTERNS, memory.MEMORY_BACKENDS),
    "Published scores": (published.PUBLISHED,),
    "Comparisons": (
        TableSpec(
            "comparisons",
            "One row per pair and score: groups from the overall on, then categories.",
            list(COMPARISONS),
        ),
        TableSpec(
            "flips",
            "One row per pair and entry that only one of the two has right, in benchmark order.",
            list(FLIPS),
        ),
    ),
}
"""The tables by chapter. Published scores and comparisons are written by steps of their own."""

TABLES: Mapping[str, TableSpec] = {table.name: table for tables in CHAPTERS.values() for table in tables}
"""The tables by name."""
