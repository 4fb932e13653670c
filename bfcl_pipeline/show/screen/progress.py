"""The progress of one generating job as numbers and as text: done, rate, time left, cost.

Covers the estimate of rates and of the time left from `generation.counts.ProgressCounts`. Nothing here
reads a clock, a file or a terminal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bfcl_pipeline.base.text import duration, on_one_line, plural, printable, span

if TYPE_CHECKING:
    from bfcl_pipeline.ask.generation.counts import ProgressCounts

WINDOW_SECONDS = 30.0
"""Length of the recent past over which rates are measured."""

FIRST_SECONDS = 1.0
"""From the start of a job to its first plain progress line."""

PLAIN_SECONDS = 30.0
"""Between two plain progress lines of a job."""

SURE_SECONDS = 1.0
"""A rate over less time is not shown."""

LONGEST_TEXT = 300
"""Characters of a name, a reason or an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """The state of one job at one moment."""

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
    def requests_per_second(self) -> float | None:
        """The current rate; None while too few samples are in the window."""
        seconds = self.seconds
        return None if seconds is None else (self.samples[-1][1] - self.samples[0][1]) / seconds

    @property
    def entries_per_second(self) -> float | None:
        """The current rate of entries and sessions; None while too few samples are in the window."""
        seconds = self.seconds
        return None if seconds is None else (self.samples[-1][3] - self.samples[0][3]) / seconds

    @property
    def seconds(self) -> float | None:
        """The time over which the rates are measured; None if it is too short."""
        if len(self.samples) < 2:
            return None
        seconds = self.samples[-1][0] - self.samples[0][0]
        return seconds if seconds >= SURE_SECONDS else None

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
    return JobProgress(
        name=name,
        seconds=seconds,
        entries_done=counts.entries_done,
        entries_total=counts.entries_total,
        sessions_done=counts.sessions_done,
        sessions_total=counts.sessions_total,
        entries_failed=counts.entries_failed,
        requests_done=counts.requests_done,
        requests_left=counts.left.total,
        requests_in_flight=counts.requests_in_flight,
        replayed=counts.replayed,
        retries=counts.retries,
        tokens=counts.input_tokens + counts.output_tokens,
        dollars=counts.dollars,
        requests_per_second=rates.requests_per_second,
        seconds_left=rates.seconds_left(counts),
        wait_seconds=max(counts.paused_until - now, 1.0) if paused and counts.paused_until else None,
        wait_reason=counts.pause_reason if paused else "",
        budget=counts.budget,
        spent=counts.spent,
        failures=dict(counts.failures),
        errors=dict(counts.errors),
        last_error=clean(counts.last_error),
        entries_per_second=rates.entries_per_second,
        rate_seconds=rates.seconds,
        searches=counts.web.searches,
        searches_left=counts.web.left,
        recorded_from=counts.recorded_from,
        recorded_to=counts.recorded_to,
    )


def clean(text: str) -> str:
    """`text` in one line, bounded, without what could steer a terminal."""
    line = on_one_line(printable(text[: LONGEST_TEXT + 1]))
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"


def progress_text(job: JobProgress) -> str:
    """The progress of a running job in one line, without what is not known."""
    parts = [f"{job.name}: {done_text(job)}"]
    if waiting := waiting_text(job):
        parts.append(waiting)
    if job.requests_in_flight:
        parts.append(f"{job.requests_in_flight:,} in flight")
    if job.requests_per_second:
        parts.append(f"{job.requests_per_second:,.1f} requests/s")
    if searches := searches_text(job):
        parts.append(searches)
    parts += _amounts(job)
    if job.seconds_left is not None:
        parts.append(f"about {duration(job.seconds_left)} left")
    return ", ".join(parts)


def closing_text(job: JobProgress) -> str:
    """What a job did, in one line, after its end."""
    return f"{job.name}: {summary_text(job)}"


def summary_text(job: JobProgress) -> str:
    """What a job did, without its name."""
    if not job.complete:
        saved = (
            f"; {plural(job.saved, 'answer is', 'answers are')} saved in the journal" if job.saved else ""
        )
        return f"stopped after {duration(job.seconds)}, {done_text(job)} complete{saved}"
    parts = [f"{_total_text(job)} in {duration(job.seconds)}"]
    if job.requests_done:
        parts.append(plural(job.requests_done, "request", "requests"))
    if job.searches:
        parts.append(plural(job.searches, "search", "searches"))
    return ", ".join([*parts, *_amounts(job)])


def done_text(job: JobProgress) -> str:
    """Entries and, where there are any, memory sessions: `12/102 entries + 3/49 sessions`."""
    text = f"{job.entries_done:,}/{plural(job.entries_total, 'entry', 'entries')}"
    if job.sessions_total:
        text += f" + {job.sessions_done:,}/{plural(job.sessions_total, 'session', 'sessions')}"
    return text


def waiting_text(job: JobProgress) -> str:
    """How long nothing is sent, and why; empty if requests are sent."""
    if job.wait_seconds is None:
        return ""
    return f"waits {duration(job.wait_seconds)}" + (f": {job.wait_reason}" if job.wait_reason else "")


def searches_text(job: JobProgress) -> str:
    """Searches of web questions, and about how many are left; empty if there are none."""
    if not job.searches and not job.searches_left:
        return ""
    left = f", about {job.searches_left:,} left" if job.searches_left else ""
    return plural(job.searches, "search", "searches") + left


def _total_text(job: JobProgress) -> str:
    text = plural(job.entries_total, "entry", "entries")
    return f"{text} + {plural(job.sessions_total, 'session', 'sessions')}" if job.sessions_total else text


def _amounts(job: JobProgress) -> list[str]:
    """Tokens, cost, journal hits, retries and failures, as far as there are any."""
    parts = []
    if job.tokens:
        parts.append(f"{short(job.tokens)} tokens")
    if money := cost_text(job):
        parts.append(money)
    if job.replayed:
        dates = f" (recorded on {span(job.recorded)})" if job.recorded else ""
        parts.append(f"{job.replayed:,} from the journal{dates}")
    if job.retries:
        parts.append(plural(job.retries, "retry", "retries"))
    if job.entries_failed:
        parts.append(f"{job.entries_failed:,} failed")
    return parts


def cost_text(job: JobProgress) -> str:
    """The cost of a job; with a budget, how much of it is spent. Empty if it is not known."""
    if job.budget is not None and job.spent is not None:
        return f"{cost(job.spent)} of {cost(job.budget)}"
    return "" if job.dollars is None else cost(job.dollars)


def troubles_text(job: JobProgress) -> str:
    """Failures by status and failed attempts by kind, without the last error; empty if there are none."""
    parts = []
    if job.failures:
        parts.append(f"without an answer: {_kinds(job.failures)}")
    elif job.entries_failed:
        parts.append(f"{job.entries_failed:,} failed")
    if job.errors:
        parts.append(f"failed attempts: {_kinds(job.errors)}")
    if job.retries:
        parts.append(plural(job.retries, "retry", "retries"))
    return "; ".join(parts)


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))


def cost(dollars: float) -> str:
    """An amount of US dollars, to the cent."""
    return f"${dollars:,.2f}"


def short(number: int) -> str:
    """A large number with one decimal: 950, 12.3k, 1.2M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)
