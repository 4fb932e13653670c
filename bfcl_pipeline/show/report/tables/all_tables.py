"""Every table under `results/<run>/tables`, in the order and the chapters of docs/tables.md."""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.tables.comparisons import COMPARISONS, FLIPS
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.answer_classes import ANSWERS, IRRELEVANCE, UNREAD_CALLS
from bfcl_pipeline.show.report.tables.errata_tables import CEILINGS, ERRATA, OWN_ERRATA
from bfcl_pipeline.show.report.tables.executable import EXECUTABLE_SCORES
from bfcl_pipeline.show.report.tables.intervals import INTERVALS
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD
from bfcl_pipeline.show.report.tables.memory import (
    MEMORY_BACKENDS,
    MEMORY_DOMAINS,
    MEMORY_PATTERNS,
    MEMORY_USE,
)
from bfcl_pipeline.show.report.tables.memory_questions import (
    MEMORY_FAILURES,
    MEMORY_PARTS,
    MEMORY_QUESTIONS,
)
from bfcl_pipeline.show.report.tables.published import PUBLISHED
from bfcl_pipeline.show.report.tables.rules_table import RULES_COMPARED
from bfcl_pipeline.show.report.tables.score_tables import (
    CATEGORY_SCORES,
    COVERAGE,
    ERROR_TYPES,
    FORMAT_SCORES,
    UNANSWERED,
    USAGE,
)
from bfcl_pipeline.show.report.tables.trials import FLAKY, PASS_K, TRIALS
from bfcl_pipeline.show.report.tables.web import WEB_FAILURES, WEB_HOPS, WEB_QUESTIONS

CHAPTERS: Mapping[str, Sequence[spec.TableSpec]] = {
    "Every run": (
        LEADERBOARD,
        CATEGORY_SCORES,
        ERROR_TYPES,
        FORMAT_SCORES,
        RULES_COMPARED,
        COVERAGE,
        USAGE,
        INTERVALS,
    ),
    "Trials": (TRIALS, PASS_K, FLAKY),
    "Models without answers": (UNANSWERED,),
    "Executable categories of V1": (EXECUTABLE_SCORES,),
    "Ceilings, errata and classes of answers": (
        CEILINGS,
        ERRATA,
        OWN_ERRATA,
        IRRELEVANCE,
        ANSWERS,
        UNREAD_CALLS,
    ),
    "Memory and web search": (MEMORY_DOMAINS, MEMORY_USE, WEB_HOPS, WEB_FAILURES, WEB_QUESTIONS),
    "Memory questions": (
        MEMORY_QUESTIONS,
        MEMORY_FAILURES,
        MEMORY_PARTS,
        MEMORY_PATTERNS,
        MEMORY_BACKENDS,
    ),
    "Published scores": (PUBLISHED,),
    "Comparisons": (
        spec.TableSpec(
            "comparisons",
            "One row per pair and score: groups from the overall on, then categories.",
            list(COMPARISONS),
        ),
        spec.TableSpec(
            "flips",
            "One row per pair and entry that only one of the two has right, in benchmark order.",
            list(FLIPS),
        ),
    ),
}
"""The tables by chapter. Published scores and comparisons are written by steps of their own."""

TABLES: Mapping[str, spec.TableSpec] = {
    table.name: table for tables in CHAPTERS.values() for table in tables
}
"""The tables by name."""
