"""How the V4 leaderboard averages categories, as data: the tree of group scores and the overall weights.

Covers which scores exist, what each is the mean of, and the price constants of its cost column. The
arithmetic is `scoring.aggregate`; the columns of the CSV files are `benchmark.leaderboard_files`.
Source: the release's leaderboard writer (bfcl-eval 2026.3.23, upstream commit 6ea57973).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mean(StrEnum):
    """How a group score is averaged from its members."""

    EQUAL = "equal"  # every member counts the same
    BY_SIZE = "by_size"  # a member counts as many times as it has judged entries
    WEIGHTED = "weighted"  # a member counts by its weight, in per cent


@dataclass(frozen=True, slots=True)
class Member:
    """One term of a group score."""

    name: str  # a category, or a group that stands earlier in LEADERBOARD
    weight: int = 1  # per cent, for Mean.WEIGHTED


@dataclass(frozen=True, slots=True)
class Group:
    """One group score of the leaderboard."""

    name: str  # also its column in the leaderboard table
    title: str  # for a person
    mean: Mean
    members: tuple[Member, ...]  # in the order in which the official tool adds them up


def _equal(name: str, title: str, *members: str) -> Group:
    return Group(name, title, Mean.EQUAL, tuple(Member(member) for member in members))


LEADERBOARD: tuple[Group, ...] = (
    _equal("simple_ast", "Non-live simple", "simple_python", "simple_java", "simple_javascript"),
    _equal("non_live", "Non-live", "simple_ast", "multiple", "parallel", "parallel_multiple"),
    Group(
        "live",
        "Live",
        Mean.BY_SIZE,
        (
            Member("live_simple"),
            Member("live_multiple"),
            Member("live_parallel"),
            Member("live_parallel_multiple"),
        ),
    ),
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
            Member("non_live", 10),
            Member("live", 10),
            Member("irrelevance_all", 10),
            Member("multi_turn", 30),
            Member("agentic", 40),
        ),
    ),
)
"""Every group score, members before the groups that use them."""

GROUP: dict[str, Group] = {group.name: group for group in LEADERBOARD}
"""The same by name."""


def categories_of(name: str) -> tuple[str, ...]:
    """The categories that the score `name` is made of, in order; of a category, itself alone."""
    if name not in GROUP:
        return (name,)
    return tuple(category for member in GROUP[name].members for category in categories_of(member.name))


GPU_DOLLARS_PER_HOUR = 23.92
"""What the leaderboard takes an hour of the eight GPUs to cost that a local model runs on."""

LOCAL_CONCURRENCY = 100
"""How many requests it takes to share that hour."""

PERCENTILE = 95
"""Which percentile of the latencies the leaderboard shows."""
