"""Estimates of work: the requests of an entry with the entries that wait for it, and what is left of them.

The scheduler uses chains to start long ones first, so that none is left over when everything else is done;
shards use them to divide the entries of one model. They decide an order and a place, never a result. What
is left is what is expected of each piece of work without what was done of it. Once enough of a kind is
complete, what that took corrects the expectation of the others; only reports use it.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry

REQUESTS_OF_A_TURN = 2
"""A turn is usually one answer with calls and one that ends it."""

REQUESTS_OF_A_SEARCH = 8
"""A web-search question is one turn of several searches and pages."""


def expected_requests(entry: Entry) -> int:
    """The number of requests expected for `entry`, at least 1."""
    category = CATEGORIES[entry.category]
    if category.single_turn:
        return 1
    if category.check is Check.WEB_SEARCH:
        return REQUESTS_OF_A_SEARCH
    return max(1, REQUESTS_OF_A_TURN * len(entry.turns))


def hops_of(entry: Entry) -> int:
    """The number of hops from a web question to its answer, at least 1: as many searches are expected."""
    return max(1, len(entry.source)) if isinstance(entry.source, list) else 1


def chain_lengths(entries: Sequence[Entry]) -> Mapping[str, int]:
    """By entry id: the expected requests from its start to the end of the longest chain that it begins.

    entries: an entry precedes those that depend on it.
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
    """Shard `number`, from 1, of the `of` shards into which `entries` are divided, in their order.

    The shards are about equal in expected requests. Entries that depend on each other are in one shard;
    with more shards than that allows, some are empty. Equal entries are always divided in the same way.
    """
    if of == 1:
        return list(entries)
    groups = _together(entries)
    weights: dict[str, int] = {}
    for entry in entries:
        group = groups[entry.entry_id]
        weights[group] = weights.get(group, 0) + expected_requests(entry)
    loads = [(0, shard) for shard in range(1, of + 1)]  # requests and shard; sorted, hence a heap
    shard_of_group: dict[str, int] = {}
    for group in sorted(weights, key=lambda group: -weights[group]):  # of equal ones, the first first
        requests, shard = loads[0]
        heapq.heapreplace(loads, (requests + weights[group], shard))
        shard_of_group[group] = shard
    return [entry for entry in entries if shard_of_group[groups[entry.entry_id]] == number]


def _together(entries: Sequence[Entry]) -> Mapping[str, str]:
    """By entry id: the first entry of its group, in which entries depend on each other."""
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


ENOUGH = 9
"""Expected steps of complete pieces of a kind, before what they took corrects the expectation."""


@dataclass(slots=True)
class _Piece:
    kind: str
    expected: float
    chain: float  # expected of it and of what waits for it
    done: int = 0


@dataclass(slots=True)
class WorkLeft:
    """Pieces of work by their names, and what was done of them."""

    _open: dict[str, _Piece] = field(default_factory=dict)
    _failed: dict[str, _Piece] = field(default_factory=dict)  # ended without a result
    _expected: dict[str, float] = field(default_factory=dict)  # of complete pieces, by kind
    _done: dict[str, int] = field(default_factory=dict)  # of complete pieces, by kind

    def expect(self, name: str, kind: str, steps: float, chain: float = 0) -> None:
        """Adds a piece of about so many steps. chain: of it and of the longest chain that waits for it."""
        self._open[name] = _Piece(kind, steps, chain)

    def did(self, name: str) -> None:
        """One more step of a piece was done; of one that is not known nothing is counted."""
        if name in self._open:
            self._open[name].done += 1

    def ended(self, name: str, *, complete: bool) -> None:
        """A piece has ended; one that is not complete says nothing about the others."""
        piece = self._open.pop(name, None)
        if piece is None:
            return
        if complete:
            self._expected[piece.kind] = self._expected.get(piece.kind, 0) + piece.expected
            self._done[piece.kind] = self._done.get(piece.kind, 0) + piece.done
        else:
            self._failed[name] = piece

    @property
    def total(self) -> int:
        """The steps left of all open pieces."""
        return round(self._left(self._open.values(), least=0))

    @property
    def longest(self) -> float:
        """The steps left of the longest chain, which follow one another."""
        return max((one.chain - min(one.done, one.expected) for one in self._open.values()), default=0)

    @property
    def failed(self) -> int:
        """The pieces that ended without a result."""
        return len(self._failed)

    @property
    def for_later(self) -> int:
        """The steps left of these, at least one each."""
        return round(self._left(self._failed.values(), least=1))

    def _left(self, pieces: Iterable[_Piece], least: float) -> float:
        factors = {
            kind: self._done[kind] / expected
            for kind, expected in self._expected.items()
            if expected >= ENOUGH
        }
        return sum(max(least, one.expected * factors.get(one.kind, 1) - one.done) for one in pieces)
