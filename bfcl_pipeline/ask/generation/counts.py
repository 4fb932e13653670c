"""How far a job of one model is, as numbers that the backend and the runner keep up to date.

Nothing here reads a clock or prints (`screen` does). The counts belong to one event loop; only those of the
web are locked.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.ask.generation.chains import WorkLeft, expected_requests, hops_of
from bfcl_pipeline.base.errors import (
    AccessDenied,
    Malformed,
    ModelError,
    NoConnection,
    RateLimited,
    RequestRefused,
)
from bfcl_pipeline.benchmark.records import Entry, Exchange, Status

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
class WebCounts:
    """Searches and pages of web questions. Calls come from several threads."""

    search_seconds: float = 0.0  # the least time of a search at the polite rate; 0: not known
    searches: int = 0  # answered so far, recorded ones included
    pages: int = 0  # fetched so far, recorded ones included
    questions: WorkLeft = field(default_factory=WorkLeft)  # their searches: at first one for each hop
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, questions: Iterable[Entry], search_seconds: float) -> None:
        """Counts the web questions of the job. search_seconds: that a search takes at least."""
        self.search_seconds = search_seconds
        for entry in questions:
            self.questions.expect(entry.entry_id, "", hops_of(entry))

    def searched(self, entry_id: str) -> None:
        """A search for a question was answered."""
        with self._lock:
            self.searches += 1
            self.questions.did(entry_id)

    def fetched(self) -> None:
        """A page was fetched."""
        with self._lock:
            self.pages += 1

    @property
    def seconds_left(self) -> float:
        """The least time for the searches left."""
        return self.questions.total * self.search_seconds


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
    left: WorkLeft = field(default_factory=WorkLeft)  # estimate of those still to be answered
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
        for entry in entries:
            name = entry.entry_id
            self.left.expect(name, entry.category, expected_requests(entry), chains[name])

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
        self.left.ended(entry.entry_id, complete=answered)
        self.web.questions.ended(entry.entry_id, complete=answered)
        if entry.prerequisite:
            self.sessions_done += 1
        else:
            self.entries_done += 1
            self.entries_failed += not answered

    def pause(self, until: float, reason: str) -> None:
        """Notes that nothing is sent before `until`; of two pauses the one that ends later counts."""
        if self.paused_until is None or until > self.paused_until:
            self.paused_until, self.pause_reason = until, reason
