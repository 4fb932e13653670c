"""The six CSV files of the leaderboard as data: their columns, and how each is sorted.

Covers file names, headers and the value of each column. Writing them is `report.official`. Source: the
release's column headers and leaderboard writer (bfcl-eval 2026.3.23, upstream commit 6ea57973).
"""

from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.definition.formats import FORMATS


class Show(StrEnum):
    """How a column's value is written."""

    TEXT = "text"  # unchanged
    NUMBER = "number"  # in Python's notation; N/A if there is none
    SCORE = "score"  # per cent; N/A unless all its categories were evaluated
    TOTAL = "total"  # per cent; a category that was not evaluated counts 0
    FORMAT = "format"  # per cent, for one prompt format; N/A if it was not evaluated


@dataclass(frozen=True, slots=True)
class OfficialColumn:
    """One column of an official CSV file."""

    header: str  # as the official tool writes it
    value: str  # a category, a group of LEADERBOARD, a prompt format, or a field of the row
    show: Show


@dataclass(frozen=True, slots=True)
class OfficialFile:
    """One of the six files."""

    name: str  # file name
    sorted_by: str  # the value by which rows are ranked, highest first
    columns: tuple[OfficialColumn, ...]  # after the column `Rank`


def _score(header: str, value: str) -> OfficialColumn:
    return OfficialColumn(header, value, Show.SCORE)


_MODEL = OfficialColumn("Model", "display_name", Show.TEXT)
_MAX_DELTA = OfficialColumn("Format Sensitivity Max Delta", "format_max_delta", Show.NUMBER)
_FORMAT_STD = OfficialColumn("Format Sensitivity Standard Deviation", "format_std", Show.NUMBER)

OVERALL = OfficialFile(
    "data_overall.csv",
    "overall",
    (
        OfficialColumn("Overall Acc", "overall", Show.TOTAL),
        _MODEL,
        OfficialColumn("Model Link", "url", Show.TEXT),
        OfficialColumn("Total Cost ($)", "cost_usd", Show.NUMBER),
        OfficialColumn("Latency Mean (s)", "latency_mean_seconds", Show.NUMBER),
        OfficialColumn("Latency Standard Deviation (s)", "latency_std_seconds", Show.NUMBER),
        OfficialColumn("Latency 95th Percentile (s)", "latency_p95_seconds", Show.NUMBER),
        _score("Non-Live AST Acc", "non_live"),
        _score("Non-Live Simple AST", "simple_ast"),
        _score("Non-Live Multiple AST", "multiple"),
        _score("Non-Live Parallel AST", "parallel"),
        _score("Non-Live Parallel Multiple AST", "parallel_multiple"),
        OfficialColumn("Live Acc", "live", Show.TOTAL),
        _score("Live Simple AST", "live_simple"),
        _score("Live Multiple AST", "live_multiple"),
        _score("Live Parallel AST", "live_parallel"),
        _score("Live Parallel Multiple AST", "live_parallel_multiple"),
        OfficialColumn("Multi Turn Acc", "multi_turn", Show.TOTAL),
        _score("Multi Turn Base", "multi_turn_base"),
        _score("Multi Turn Miss Func", "multi_turn_miss_func"),
        _score("Multi Turn Miss Param", "multi_turn_miss_param"),
        _score("Multi Turn Long Context", "multi_turn_long_context"),
        _score("Web Search Acc", "web_search"),
        _score("Web Search Base", "web_search_base"),
        _score("Web Search No Snippet", "web_search_no_snippet"),
        _score("Memory Acc", "memory"),
        _score("Memory KV", "memory_kv"),
        _score("Memory Vector", "memory_vector"),
        _score("Memory Recursive Summarization", "memory_rec_sum"),
        _score("Relevance Detection", "live_relevance"),
        _score("Irrelevance Detection", "irrelevance_all"),
        _MAX_DELTA,
        _FORMAT_STD,
        OfficialColumn("Organization", "org", Show.TEXT),
        OfficialColumn("License", "license", Show.TEXT),
    ),
)

NON_LIVE = OfficialFile(
    "data_non_live.csv",
    "non_live",
    (
        _MODEL,
        OfficialColumn("Non-Live Overall Acc", "non_live", Show.TOTAL),
        _score("AST Summary", "non_live"),
        _score("Simple AST", "simple_ast"),
        _score("Python Simple AST", "simple_python"),
        _score("Java Simple AST", "simple_java"),
        _score("JavaScript Simple AST", "simple_javascript"),
        _score("Multiple AST", "multiple"),
        _score("Parallel AST", "parallel"),
        _score("Parallel Multiple AST", "parallel_multiple"),
        _score("Irrelevance Detection", "irrelevance"),
    ),
)

LIVE = OfficialFile(
    "data_live.csv",
    "live",
    (
        _MODEL,
        OfficialColumn("Live Overall Acc", "live", Show.TOTAL),
        _score("AST Summary", "live"),
        _score("Python Simple AST", "live_simple"),
        _score("Python Multiple AST", "live_multiple"),
        _score("Python Parallel AST", "live_parallel"),
        _score("Python Parallel Multiple AST", "live_parallel_multiple"),
        _score("Irrelevance Detection", "live_irrelevance"),
        _score("Relevance Detection", "live_relevance"),
    ),
)

MULTI_TURN = OfficialFile(
    "data_multi_turn.csv",
    "multi_turn",
    (
        _MODEL,
        OfficialColumn("Multi Turn Overall Acc", "multi_turn", Show.TOTAL),
        _score("Base", "multi_turn_base"),
        _score("Miss Func", "multi_turn_miss_func"),
        _score("Miss Param", "multi_turn_miss_param"),
        _score("Long Context", "multi_turn_long_context"),
    ),
)

AGENTIC = OfficialFile(
    "data_agentic.csv",
    "agentic",
    (
        _MODEL,
        OfficialColumn("Agentic Overall Acc", "agentic", Show.TOTAL),
        _score("Web Search Summary", "web_search"),
        _score("Web Search Base", "web_search_base"),
        _score("Web Search No Snippet", "web_search_no_snippet"),
        _score("Memory Summary", "memory"),
        _score("Memory KV", "memory_kv"),
        _score("Memory Vector", "memory_vector"),
        _score("Memory Recursive Summarization", "memory_rec_sum"),
    ),
)

FORMAT_SENSITIVITY = OfficialFile(
    "data_format_sensitivity.csv",
    "format_max_delta",
    (
        _MODEL,
        _MAX_DELTA,
        _FORMAT_STD,
        *(OfficialColumn(f"Config {fmt.key}", fmt.key, Show.FORMAT) for fmt in FORMATS),
    ),
)

OFFICIAL_FILES: tuple[OfficialFile, ...] = (
    NON_LIVE,
    LIVE,
    MULTI_TURN,
    AGENTIC,
    FORMAT_SENSITIVITY,
    OVERALL,
)
"""The six files."""
