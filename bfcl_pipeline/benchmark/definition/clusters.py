"""Which entries share a scenario and are therefore not independent, as data beside the categories.

Covers the key of each entry's cluster. Verdicts on entries with equal keys are correlated: variants of one
multi-turn scenario, one memory question over three backends, one web question with and without snippets,
several requests about one function doc of a live category. The arithmetic is `scoring.statistics`.
Source: the numbers in the ids of the release's entries (bfcl-eval 2026.3.23).
"""

import re
from enum import StrEnum

from bfcl_pipeline.benchmark.definition.categories import CATEGORIES, Category, Check


class ClusterBy(StrEnum):
    """What the entries of one cluster have in common."""

    ENTRY = "entry"  # nothing: each entry is a cluster
    FUNCTION_DOC = "function doc"  # the middle number of the id, within one category
    SCENARIO = "scenario"  # multi-turn: the number, over the four variants
    MEMORY_QUESTION = "memory question"  # the question, over the three backends
    WEB_QUESTION = "web question"  # the question, with and without snippets
    BASE_ENTRY = "base entry"  # format sensitivity: the entry that is restated


_OF_CHECK = {
    Check.MULTI_TURN: ClusterBy.SCENARIO,
    Check.MEMORY: ClusterBy.MEMORY_QUESTION,
    Check.WEB_SEARCH: ClusterBy.WEB_QUESTION,
    Check.FORMAT_SENSITIVITY: ClusterBy.BASE_ENTRY,
}


def _rule(category: Category) -> ClusterBy:
    by_group = ClusterBy.FUNCTION_DOC if category.group == "live" else ClusterBy.ENTRY
    return _OF_CHECK.get(category.check, by_group)


CLUSTERS: dict[str, ClusterBy] = {name: _rule(category) for name, category in CATEGORIES.items()}
"""What a cluster of each category is.

The live categories number their function docs each for itself: number 0 of live_simple and of live_multiple
are different docs, so their clusters are never shared. Memory has only five scenarios, which are too few to
cluster on (variances over five clusters are not reliable): its cluster is the question. Restatements are
not put together with the entry that they restate, because no score contains both.
"""

_MEMORY = re.compile(r"memory_(?:kv|vector|rec_sum)_(?P<key>\d{1,9}-[a-z]{1,40}-\d{1,9})")

_SHARED = {
    ClusterBy.FUNCTION_DOC: re.compile(r"[a-z_]+_\d{1,9}-(?P<key>\d{1,9})-\d{1,9}"),
    ClusterBy.SCENARIO: re.compile(r"multi_turn_[a-z_]+_(?P<key>\d{1,9})"),
    ClusterBy.MEMORY_QUESTION: _MEMORY,
    ClusterBy.WEB_QUESTION: re.compile(r"web_search_(?:base|no_snippet)_(?P<key>\d{1,9})"),
}
"""What of an id the entries of one cluster share."""

_OVER_CATEGORIES = {
    ClusterBy.SCENARIO: "multi_turn",
    ClusterBy.MEMORY_QUESTION: "memory",
    ClusterBy.WEB_QUESTION: "web_search",
}
"""The begin of the keys of clusters over several categories."""


def cluster_of(category: str, entry_id: str, base_entry_id: str | None = None) -> str:
    """The key of the cluster of an entry; equal keys, also of different categories, are one cluster.

    An id of another form than the release's is a cluster of its own.

    Args:
        category: one of CATEGORIES.
        entry_id: the id as in the release.
        base_entry_id: format sensitivity: the entry that it restates; None: the one that its id names.

    Raises:
        KeyError: `category` is not a category.
    """
    by = CLUSTERS[category]
    if by is ClusterBy.BASE_ENTRY:
        return f"format_sensitivity:{base_entry_id or entry_id.rpartition(':')[2]}"
    found = _SHARED[by].fullmatch(entry_id) if by in _SHARED else None
    return f"{_OVER_CATEGORIES.get(by, category)}:{found['key']}" if found else entry_id


def memory_scenario(entry_id: str) -> str | None:
    """The scenario of a memory question, such as `customer`; None if the id is not one of memory."""
    found = _MEMORY.fullmatch(entry_id)
    return found["key"].split("-")[1] if found else None
