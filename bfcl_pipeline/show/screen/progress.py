"""The progress of one generating job as numbers: done, left, rate, time left, cost.

Covers the estimate of rates and of the time left from `generation.counts.ProgressCounts`. Nothing here
reads a clock, a file or a terminal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from bfcl_pipeline.base.text import on_one_line, printable

if TYPE_CHECKING:
    from bfcl_pipeline.ask.generation.counts import ProgressCounts

WINDOW_SECONDS = 30.0
"""Length of the recent past over which rates are measured."""

SURE_SECONDS = 1.0
"""A rate over less time is not shown."""

LONGEST_TEXT = 300
"""Characters of a name, a reason or an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """The state of one job at one moment. Fields that `ProgressCounts` has too mean the same there."""

    name: str  # of the model, and of its trial or shard
    seconds: float  # since the job started to generate
    entries_done: int
    entries_total: int  # without memory sessions
    sessions_done: int
    sessions_total: int
    entries_failed: int  # completed without an answer
    requests_done: int  # answered by the model in this job
    requests_left: int  # estimate
    requests_in_flight: int
    replayed: int  # requests whose answer was in the journal
    retries: int
    tokens: int
    dollars: float | None  # None: no prices
    requests_per_second: float | None  # None: not known yet
    seconds_left: float | None  # estimate; None: not known yet
    wait_seconds: float | None  # until requests are sent again; None: no pause
    wait_reason: str
    budget: float | None  # US dollars that the run may cost with this model; None: no limit
    spent: float | None  # of the budget, in earlier jobs as well; None: no budget, or no prices
    failures: Mapping[str, int]  # entries and sessions failed, by status
    errors: Mapping[str, int]  # attempts that failed, by kind
    last_error: str  # in one line, without invisible characters
    entries_per_second: float | None  # sessions included; None: not known yet
    rate_seconds: float | None  # over which the rates were measured
    searches: int  # of web questions, recorded ones included
    searches_left: int  # estimate
    recorded_from: str  # the first day of the answers in the journal, YYYY-MM-DD; empty: not known
    recorded_to: str  # the last one

    @property
    def requests_sent(self) -> int:
        """The requests that were sent in this job, also in vain."""
        return self.requests_done + sum(self.errors.values())

    @property
    def recorded(self) -> set[str]:
        """The first and the last day of the answers in the journal."""
        return {self.recorded_from, self.recorded_to} - {""}

    @property
    def complete(self) -> bool:
        """Whether every entry has a response."""
        return (self.entries_done, self.sessions_done) == (self.entries_total, self.sessions_total)

    @property
    def entries_answered(self) -> int:
        """The entries that are complete and have an answer."""
        return self.entries_done - self.entries_failed

    @property
    def saved(self) -> int:
        """Answers of this job in the journal, of this run or of earlier ones."""
        return self.requests_done + self.replayed

    @property
    def share(self) -> float:
        """The part of the work that is done, from 0 to 1: of the requests, where they are counted."""
        done, left = self.saved, self.requests_left
        if not done:
            done, left = self.entries_done, self.entries_total - self.entries_done
        return done / (done + left) if done + left else 1.0


@dataclass(slots=True)
class RateWindow:
    """How many requests were completed per second recently, and how long one takes.

    Journal hits are instantaneous, so each one resets the window.
    """

    # seconds, requests done, at work, entries and sessions done
    samples: deque[tuple[float, int, int, int]] = field(default_factory=deque)
    replayed: int = 0

    def sample(self, counts: ProgressCounts, now: float) -> None:
        """Adds the counts of now, and drops samples older than the window."""
        if counts.replayed != self.replayed:
            self.replayed = counts.replayed
            self.samples.clear()
        # Between two requests of a conversation its calls run: then one is worked on as well.
        at_work = max(counts.requests_in_flight, 1)
        self.samples.append(
            (now, counts.requests_done, at_work, counts.entries_done + counts.sessions_done)
        )
        while len(self.samples) > 2 and now - self.samples[1][0] >= WINDOW_SECONDS:
            self.samples.popleft()

    @property
    def seconds(self) -> float | None:
        """The time over which the rates are measured; None if it is too short."""
        seconds = self.samples[-1][0] - self.samples[0][0] if self.samples else 0.0
        return seconds if seconds >= SURE_SECONDS else None

    @property
    def requests_per_second(self) -> float | None:
        """The current rate; None while too few samples are in the window."""
        return self._each_second(1)

    @property
    def entries_per_second(self) -> float | None:
        """The current rate of entries and sessions; None while too few samples are in the window."""
        return self._each_second(3)

    def _each_second(self, column: int) -> float | None:
        seconds = self.seconds
        return seconds and (self.samples[-1][column] - self.samples[0][column]) / seconds

    def seconds_left(self, counts: ProgressCounts) -> float | None:
        """An estimate; None while there is no rate.

        The requests left at the current rate, but at least the longest conversation left: its requests are
        sent one after the other, whatever else runs. Of a model that is sent none (an embedded one): the
        entries left at their rate. In both cases at least the searches left at the polite rate.
        """
        rate = self.requests_per_second
        if not rate:
            left = counts.entries_total + counts.sessions_total - counts.entries_done - counts.sessions_done
            each_second = None if counts.requests_done else self.entries_per_second
            return max(left / each_second, counts.web.seconds_left) if each_second and left else None
        if not counts.left.total:
            return None
        # Little's law: the mean number at work is the rate times the mean time of a request.
        each = sum(sample[2] for sample in self.samples) / len(self.samples) / rate
        return max(counts.left.total / rate, counts.left.longest * each, counts.web.seconds_left)


def job_progress(
    name: str, counts: ProgressCounts, rates: RateWindow, seconds: float, now: float
) -> JobProgress:
    """The state of a job. now: by the clock of the counts' pauses and of `rates`."""
    paused = counts.paused_until is not None and counts.paused_until > now
    names = [field.name for field in fields(JobProgress)]
    same = {name: copy(getattr(counts, name)) for name in names if hasattr(counts, name)}
    return JobProgress(
        **same
        | {
            "name": name,
            "seconds": seconds,
            "requests_left": counts.left.total,
            "tokens": counts.input_tokens + counts.output_tokens,
            "requests_per_second": rates.requests_per_second,
            "entries_per_second": rates.entries_per_second,
            "rate_seconds": rates.seconds,
            "seconds_left": rates.seconds_left(counts),
            "wait_seconds": max(counts.paused_until - now, 1.0) if paused and counts.paused_until else None,
            "wait_reason": counts.pause_reason if paused else "",
            "last_error": clean(counts.last_error),
            "searches": counts.web.searches,
            "searches_left": counts.web.questions.total,
        }
    )


def clean(text: str) -> str:
    """`text` in one line, bounded, without what could steer a terminal."""
    line = on_one_line(printable(text[: LONGEST_TEXT + 1]))
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"
