"""Estimates the requests that a job still has to send, from which the time left is derived.

Starts from the expectations of `chains`, follows each conversation turn by turn, and corrects the
expectation of a category by the requests that its completed entries took. Only reports are derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.benchmark.records import Entry

ENOUGH = 10
"""Expected requests of completed entries, before what they really took corrects the expectation."""


@dataclass(slots=True)
class _Category:
    """The requests of one category."""

    left: int = 0  # expected of its entries that are not completed
    expected: int = 0  # of its completed entries
    sent: int = 0  # of its completed entries

    @property
    def factor(self) -> float:
        """Requests for each request that was expected."""
        return self.sent / self.expected if self.expected >= ENOUGH else 1.0


@dataclass(slots=True)
class RequestsLeft:
    """What is left of the entries of a job. `add` the entries, then report each request and each end."""

    categories: dict[str, _Category] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)  # expected of each that is not completed, by id
    chains: dict[str, int] = field(default_factory=dict)  # of it and of what waits for it, by id
    sent: dict[str, int] = field(default_factory=dict)  # of each that is not completed, by id

    def add(self, entries: Sequence[Entry], chains: Mapping[str, int]) -> None:
        """Adds the entries of a job. chains: as of `chain_lengths`."""
        for entry in entries:
            expected = expected_requests(entry)
            self.entries[entry.entry_id] = expected
            self.chains[entry.entry_id] = chains[entry.entry_id]
            self.categories.setdefault(entry.category, _Category()).left += expected

    def answered(self, entry: Entry, turn: int) -> None:
        """One more request of `entry` was answered, in the turn with this index."""
        self.sent[entry.entry_id] = self.sent.get(entry.entry_id, 0) + 1
        turns = max(1, len(entry.turns))
        expected = expected_requests(entry)
        begun = expected * (turns - turn) // turns  # when the turn began
        left = min(self.entries[entry.entry_id], begun) - 1
        self._reduce(entry, max(left, expected * (turns - turn - 1) // turns, 1))

    def completed(self, entry: Entry) -> None:
        """`entry` is completed, whatever its status."""
        self._reduce(entry, 0)
        category = self.categories[entry.category]
        sent = self.sent.pop(entry.entry_id, 0)
        if sent:  # one that failed before its first answer says nothing about the others
            category.sent += sent
            category.expected += expected_requests(entry)
        del self.entries[entry.entry_id], self.chains[entry.entry_id]

    @property
    def total(self) -> int:
        """The requests left of all entries."""
        return round(sum(category.left * category.factor for category in self.categories.values()))

    @property
    def longest(self) -> int:
        """The requests left of the longest chain, which are sent one after the other."""
        return max(self.chains.values(), default=0)

    def _reduce(self, entry: Entry, left: int) -> None:
        done = self.entries[entry.entry_id] - left
        self.entries[entry.entry_id] = left
        self.chains[entry.entry_id] -= done
        self.categories[entry.category].left -= done
