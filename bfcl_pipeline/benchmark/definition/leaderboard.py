"""How the V4 leaderboard averages categories, as data: the tree of group scores and the overall weights.

Covers which scores exist, the members of each mean, the share of each category, the same of the retired
executable categories, and the price constants of the cost column. The arithmetic is `scoring.aggregate`;
the columns of the CSV files are `definition.leaderboard_files`.
Source: the release's leaderboard writer (bfcl-eval 2026.3.23, upstream commit 6ea57973); of executable
categories, that of the last version with them (commit 4d05b53f) and of August 2024.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.definition.categories import CATEGORIES


class Mean(StrEnum):
    """How a group score is averaged from its members."""

    EQUAL = "equal"  # all members have the same weight
    BY_SIZE = "by_size"  # a member is weighted by its number of scored entries
    WEIGHTED = "weighted"  # each member has a fixed weight, in per cent


@dataclass(frozen=True, slots=True)
class ScoreTerm:
    """One term of a group score."""

    name: str  # a category, or an earlier group of the same tree
    weight: int = 1  # per cent, for Mean.WEIGHTED


@dataclass(frozen=True, slots=True)
class Group:
    """One group score of the leaderboard."""

    name: str  # also its column in the leaderboard table
    title: str  # shown to people
    mean: Mean
    members: tuple[ScoreTerm, ...]  # in the order in which the official tool adds them up


def _equal(name: str, title: str, *members: str) -> Group:
    return Group(name, title, Mean.EQUAL, tuple(ScoreTerm(member) for member in members))


def _by_size(name: str, title: str, *members: str) -> Group:
    return Group(name, title, Mean.BY_SIZE, tuple(ScoreTerm(member) for member in members))


LEADERBOARD: tuple[Group, ...] = (
    _equal("simple_ast", "Non-live simple", "simple_python", "simple_java", "simple_javascript"),
    _equal("non_live", "Non-live", "simple_ast", "multiple", "parallel", "parallel_multiple"),
    _by_size("live", "Live", "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"),
    _equal("irrelevance_all", "Irrelevance", "irrelevance", "live_irrelevance"),
    _equal(
        "multi_turn",
        "Multi-turn",
        "multi_turn_base",
        "multi_turn_miss_func",
        "multi_turn_miss_param",
        "multi_turn_long_context",
    ),
    _equal("web_search", "Web search", "web_search_base", "web_search_no_snippet"),
    _equal("memory", "Memory", "memory_kv", "memory_vector", "memory_rec_sum"),
    _equal("agentic", "Agentic", "web_search", "memory"),
    Group(
        "overall",
        "Overall",
        Mean.WEIGHTED,
        (
            ScoreTerm("non_live", 10),
            ScoreTerm("live", 10),
            ScoreTerm("irrelevance_all", 10),
            ScoreTerm("multi_turn", 30),
            ScoreTerm("agentic", 40),
        ),
    ),
)
"""Every group score, members before the groups that use them."""

GROUP: dict[str, Group] = {group.name: group for group in LEADERBOARD}
"""The groups of LEADERBOARD by name."""

SINGLE_TURN = _equal("single_turn", "Single-turn", "non_live", "live", "irrelevance_all")
"""The mean of the groups that have equal weights in the overall score; it is not on the leaderboard."""

_EXEC_OF_SEVERAL = ("exec_multiple", "exec_parallel", "exec_parallel_multiple")

_AST_OF_2024 = (
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
)

EXECUTABLE: tuple[Group, ...] = (
    _equal("simple_exec", "Simple", "exec_simple", "rest"),
    _equal("exec_summary", "Exec summary", "simple_exec", *_EXEC_OF_SEVERAL),
    _by_size("simple_exec_august_2024", "Simple of August 2024", "exec_simple", "rest"),
    _equal(
        "exec_summary_august_2024",
        "Exec summary of August 2024",
        "simple_exec_august_2024",
        *_EXEC_OF_SEVERAL,
    ),
    _by_size(
        "overall_august_2024",
        "Overall of August 2024",
        *_AST_OF_2024,
        "exec_simple",
        "rest",
        *_EXEC_OF_SEVERAL,
        "irrelevance",
    ),
)
"""The means of V1's executable categories; no score of V4 contains them.

The first two are those of the last leaderboard with executable categories, April 2025. The others are those
of August 2024, when entries were counted alike: its overall has 1,700.
"""

_GROUPS = {group.name: group for group in (*LEADERBOARD, SINGLE_TURN, *EXECUTABLE)}


def categories_of(name: str) -> tuple[str, ...]:
    """The categories that the score `name` averages, in order; for a category, only itself."""
    if name not in _GROUPS:
        return (name,)
    return tuple(category for member in _GROUPS[name].members for category in categories_of(member.name))


def category_weights(name: str, entries: Mapping[str, int]) -> dict[str, float]:
    """The share of each category in the score `name`, in order; for a category, 1. The shares sum to 1.

    entries: the scored entries of each category that was evaluated, for means by size; a category that is
    missing counts with all its entries, as on the leaderboard.
    """
    if name not in _GROUPS:
        return {name: 1.0}
    group = _GROUPS[name]
    sizes = [_size(group, member, entries) for member in group.members]
    return {
        category: weight * size / sum(sizes)
        for member, size in zip(group.members, sizes, strict=True)
        for category, weight in category_weights(member.name, entries).items()
    }


def _size(group: Group, member: ScoreTerm, entries: Mapping[str, int]) -> int:
    if group.mean is Mean.BY_SIZE:
        return sum(entries.get(name, CATEGORIES[name].entries) for name in categories_of(member.name))
    return member.weight


GPU_DOLLARS_PER_HOUR = 23.92
"""US dollars per hour that the leaderboard assumes for the eight GPUs of a local model."""

LOCAL_CONCURRENCY = 100
"""Number of concurrent requests among which the leaderboard divides that price."""

PERCENTILE = 95
"""The percentile of the latencies on the leaderboard."""
