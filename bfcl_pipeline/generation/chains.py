"""How many requests an entry may still take, with all that has to wait for it.

Covers the estimate by which the scheduler goes: what is at the start of a long chain of requests goes
first, so that no chain is left over when everything else is done. It decides an order, never a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.records import Entry

REQUESTS_OF_A_TURN = 2
"""A turn is mostly one answer with calls and one that ends it."""

REQUESTS_OF_A_SEARCH = 8
"""A question to the web is one turn of several searches and pages."""


def expected_requests(entry: Entry) -> int:
    """How many requests the conversation over `entry` is expected to take, at least 1."""
    category = CATEGORIES[entry.category]
    if category.single_turn:
        return 1
    if category.check is Check.WEB_SEARCH:
        return REQUESTS_OF_A_SEARCH
    return max(1, REQUESTS_OF_A_TURN * len(entry.turns))


def chain_lengths(entries: Sequence[Entry]) -> Mapping[str, int]:
    """By entry id: the expected requests from its start to the end of the longest chain that it begins.

    entries: what depends on an entry stands after it.
    """
    after: dict[str, int] = {}  # the longest chain that waits for an entry
    lengths: dict[str, int] = {}
    for entry in reversed(entries):
        length = expected_requests(entry) + after.get(entry.entry_id, 0)
        lengths[entry.entry_id] = length
        for needed in entry.depends_on:
            after[needed] = max(after.get(needed, 0), length)
    return lengths
