"""How many requests an entry may still take, with all that has to wait for it.

Covers the estimate by which the scheduler goes: what is at the start of a long chain of requests goes
first, so that no chain is left over when everything else is done; and by which the entries of one model are
shared out among servers. It decides an order and a place, never a result.
"""

from __future__ import annotations

import heapq
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


def shard_of(entries: Sequence[Entry], number: int, of: int) -> list[Entry]:
    """Part `number`, from 1, of the `of` parts into which `entries` are divided, in their order.

    The parts are about equal in expected requests. What depends on each other is in one part; with more
    parts than that allows, some are empty. Equal entries are always divided in the same way.
    """
    if not 1 <= number <= of:
        raise ValueError(f"expected a part from 1 to {of}, got {number}")
    groups = _together(entries)
    weights: dict[str, int] = {}
    for entry in entries:
        group = groups[entry.entry_id]
        weights[group] = weights.get(group, 0) + expected_requests(entry)
    given = [(0, part) for part in range(1, of + 1)]  # requests and part, a heap from the start
    part_of: dict[str, int] = {}
    for group in sorted(weights, key=lambda group: -weights[group]):  # of equal ones, the first first
        requests, part = given[0]
        heapq.heapreplace(given, (requests + weights[group], part))
        part_of[group] = part
    return [entry for entry in entries if part_of[groups[entry.entry_id]] == number]


def _together(entries: Sequence[Entry]) -> Mapping[str, str]:
    """By entry id: the first entry of those that it has to be with, as they depend on each other."""
    leaders = {entry.entry_id: entry.entry_id for entry in entries}

    def leader(entry_id: str) -> str:
        while leaders[entry_id] != entry_id:
            leaders[entry_id] = entry_id = leaders[leaders[entry_id]]
        return entry_id

    places = {entry.entry_id: place for place, entry in enumerate(entries)}
    for entry in entries:
        for needed in entry.depends_on:
            if needed in leaders:
                first, other = sorted((leader(entry.entry_id), leader(needed)), key=places.__getitem__)
                leaders[other] = first
    return {entry_id: leader(entry_id) for entry_id in leaders}
