"""How far a job of one model is, as numbers that the backend and the runner keep up to date.

Covers counting, and the estimate of the requests that are left: it starts from the expectations of
`chains`, follows each conversation turn by turn, and corrects the expectation of a category by the requests
that its completed entries took. Nothing here reads a clock or prints (`screen` does). The counts belong to
one event loop; only those of the web are locked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.ask.generation.web_counts import WebCounts
from bfcl_pipeline.base.errors import (
    AccessDenied,
    Malformed,
    ModelError,
    NoConnection,
    RateLimited,
    RequestRefused,
)
from bfcl_pipeline.benchmark.records import Entry, Exchange, Status

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


ERROR_KINDS: Mapping[type[ModelError], str] = {
    RateLimited: "rate limit",
    NoConnection: "no connection",
    Malformed: "unreadable answer",
    AccessDenied: "access denied",
    RequestRefused: "request refused",
    ModelError: "failed request",
}
"""The kinds of failed attempts; an error is of the first that it is an instance of."""

LONGEST_ERROR = 2000
"""Characters of an error text that are kept."""


@dataclass(slots=True)
class ProgressCounts:
    """What is done so far, and what is in flight."""

    entries_total: int = 0  # to be run, without memory sessions
    entries_done: int = 0  # with a response, whatever its status
    entries_failed: int = 0  # of these, those without an answer
    sessions_total: int = 0  # memory sessions to be run
    sessions_done: int = 0  # completed, whatever their status
    requests_in_flight: int = 0  # sent, not answered yet
    requests_done: int = 0  # answered by the model now
    left: RequestsLeft = field(default_factory=RequestsLeft)  # estimate of those still to be answered
    replayed: int = 0  # requests whose answer was in the journal
    recorded_from: str = ""  # the first day of these answers in UTC, YYYY-MM-DD; empty: there are none
    recorded_to: str = ""  # the last one
    retries: int = 0  # attempts after the first
    failures: dict[str, int] = field(
        default_factory=dict
    )  # entries and sessions without an answer, by status
    errors: dict[str, int] = field(default_factory=dict)  # attempts that failed, by kind (ERROR_KINDS)
    last_error: str = ""  # the text of the last of both, as it came, cut
    input_tokens: int = 0  # of the answered requests, as far as known
    output_tokens: int = 0  # of the answered requests, as far as known
    dollars: float | None = None  # what they cost; None: no prices
    budget: float | None = None  # US dollars that the run may cost; None: no limit
    spent: float | None = None  # of the budget, in this job and in earlier ones; None: no budget, no prices
    paused_until: float | None = None  # by time.monotonic(): nothing is sent before; None: no pause
    pause_reason: str = ""  # why, for a person
    web: WebCounts = field(default_factory=WebCounts)  # searches of web questions

    def start(self, entries: Sequence[Entry], chains: Mapping[str, int]) -> None:
        """Counts the entries of the job, sessions included. chains: as of `chain_lengths`."""
        sessions = sum(entry.prerequisite for entry in entries)
        self.sessions_total += sessions
        self.entries_total += len(entries) - sessions
        self.left.add(entries, chains)

    def answered(self, exchange: Exchange, dollars: float | None) -> None:
        """Counts an answer of the model. dollars: its price, if known."""
        self.requests_done += 1
        self.input_tokens += exchange.input_tokens or 0
        self.output_tokens += exchange.output_tokens or 0
        if dollars is not None:
            self.dollars = (self.dollars or 0.0) + dollars

    def found(self, received_at: str) -> None:
        """Counts an answer that the journal has. received_at: when the model gave it, ISO 8601 in UTC."""
        day = received_at[:10]
        self.replayed += 1
        self.recorded_from = min(day, self.recorded_from or day)
        self.recorded_to = max(day, self.recorded_to)

    def attempt_failed(self, error: ModelError) -> None:
        """Counts a request that failed; it may be sent again."""
        kind = next(name for kind, name in ERROR_KINDS.items() if isinstance(error, kind))
        self.errors[kind] = self.errors.get(kind, 0) + 1
        self.last_error = str(error)[:LONGEST_ERROR]

    def ended(self, entry: Entry, status: Status, detail: str | None) -> None:
        """Counts an entry that is completed. detail: why it has no answer."""
        answered = status is Status.ANSWERED
        if not answered:
            self.failures[status] = self.failures.get(status, 0) + 1
            self.last_error = (detail or "")[:LONGEST_ERROR]
        self.left.completed(entry)
        self.web.ended(entry.entry_id, answered=answered)
        if entry.prerequisite:
            self.sessions_done += 1
        else:
            self.entries_done += 1
            self.entries_failed += not answered

    def pause(self, until: float, reason: str) -> None:
        """Notes that nothing is sent before `until`; of two pauses the one that ends later counts."""
        if self.paused_until is None or until > self.paused_until:
            self.paused_until, self.pause_reason = until, reason
