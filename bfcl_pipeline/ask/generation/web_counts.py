"""The searches of a job's web questions: how many were made, and about how many are left.

The estimate starts from the annotated hops of each question, one search for each, and is corrected by what
the questions took that this model has answered. Only reports are derived from it.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from bfcl_pipeline.benchmark.records import Entry

ENOUGH = 3
"""Answered questions, before what they took corrects the expectation."""


@dataclass(slots=True)
class _Question:
    hops: int
    searches: int = 0  # made for it, recorded ones included


@dataclass(slots=True)
class WebCounts:
    """Searches and pages of web questions. Calls come from several threads."""

    search_seconds: float = 0.0  # the least time of a search at the polite rate; 0: not known
    searches: int = 0  # answered so far, recorded ones included
    pages: int = 0  # fetched so far, recorded ones included
    _open: dict[str, _Question] = field(default_factory=dict)  # by entry id
    _failed: dict[str, _Question] = field(default_factory=dict)  # ended without an answer
    _answered: list[_Question] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, questions: Iterable[Entry], search_seconds: float) -> None:
        """Counts the web questions of the job. search_seconds: that a search takes at least."""
        self.search_seconds = search_seconds
        self._open |= {entry.entry_id: _Question(hops_of(entry)) for entry in questions}

    def searched(self, entry_id: str) -> None:
        """A search for a question was answered."""
        with self._lock:
            self.searches += 1
            if entry_id in self._open:
                self._open[entry_id].searches += 1

    def fetched(self) -> None:
        """A page was fetched."""
        with self._lock:
            self.pages += 1

    def ended(self, entry_id: str, *, answered: bool) -> None:
        """An entry is completed; one that is not a question of `start` does not count."""
        with self._lock:
            question = self._open.pop(entry_id, None)
            if question is not None and answered:
                self._answered.append(question)
            elif question is not None:
                self._failed[entry_id] = question

    @property
    def unanswered(self) -> int:
        """The questions that ended without an answer."""
        return len(self._failed)

    @property
    def left(self) -> int:
        """About how many searches this job still makes."""
        return self._needed(self._open)

    @property
    def left_for_later(self) -> int:
        """About how many searches the next run makes for the questions without an answer."""
        return self._needed(self._failed, least=1.0)

    @property
    def seconds_left(self) -> float:
        """The least time for the searches left."""
        return self.left * self.search_seconds

    def _needed(self, questions: dict[str, _Question], least: float = 0.0) -> int:
        with self._lock:
            made = sum(question.searches for question in self._answered)
            hops = sum(question.hops for question in self._answered)
            of_a_hop = made / hops if len(self._answered) >= ENOUGH else 1.0
            left = [question.hops * of_a_hop - question.searches for question in questions.values()]
        return round(sum(max(least, number) for number in left))


def hops_of(entry: Entry) -> int:
    """The number of hops from a web question to its answer, at least 1."""
    return max(1, len(entry.source)) if isinstance(entry.source, list) else 1
