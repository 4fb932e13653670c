"""The progress line of a job: entries done, requests per second, cost so far, time left.

On a terminal one line that is redrawn in place; elsewhere (a log) plain lines, one every 30 seconds. It
reads a `generation.counts.ProgressCounts` and changes nothing; standard output stays free for results.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from bfcl_pipeline.generation.counts import ProgressCounts
from bfcl_pipeline.report.format import count
from bfcl_pipeline.text import plural

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

REDRAWN_SECONDS = 0.25
"""Between two readings of the counts."""

PLAIN_SECONDS = 30.0
"""Between two plain lines."""

WINDOW_SECONDS = 30.0
"""Length of the recent past over which rates are measured."""

SURE_SECONDS = 1.0
"""A rate over less time is not shown."""


@dataclass(slots=True)
class RateWindow:
    """How many requests and entries per second were completed recently.

    Journal hits are instantaneous, so each one resets the window.
    """

    samples: deque[tuple[float, int, int]] = field(default_factory=deque)  # seconds, requests, entries
    replayed: int = 0

    def sample(self, counts: ProgressCounts, now: float) -> None:
        """Adds the counts of now, and drops samples older than the window."""
        if counts.replayed != self.replayed:
            self.replayed = counts.replayed
            self.samples.clear()
        self.samples.append((now, counts.requests_done, counts.entries_done))
        while len(self.samples) > 2 and now - self.samples[1][0] >= WINDOW_SECONDS:
            self.samples.popleft()

    @property
    def requests_per_second(self) -> float | None:
        """The current rate; None while too few samples are in the window."""
        return self._per_second(1)

    def seconds_left(self, counts: ProgressCounts) -> float | None:
        """Estimated from the requests left, or else the entries; None while there is no rate."""
        if counts.requests_left is not None:
            left, speed = counts.requests_left, self._per_second(1)
        else:
            left, speed = counts.entries_total - counts.entries_done, self._per_second(2)
        return left / speed if left and speed else None

    def _per_second(self, column: int) -> float | None:
        if len(self.samples) < 2:
            return None
        first, last = self.samples[0], self.samples[-1]
        seconds = last[0] - first[0]
        return (last[column] - first[column]) / seconds if seconds >= SURE_SECONDS else None


def progress_text(name: str, counts: ProgressCounts, rates: RateWindow, now: float) -> str:
    """The progress line, without what is not known. now: by the clock of the counts' pauses."""
    parts = [f"{name}: {count(counts.entries_done)}/{plural(counts.entries_total, 'entry', 'entries')}"]
    if counts.paused_until is not None and counts.paused_until > now:
        reason = f": {counts.pause_reason}" if counts.pause_reason else ""
        parts.append(f"waits {max(counts.paused_until - now, 1):,.0f} s{reason}")
    parts.append(f"{count(counts.requests_in_flight)} in flight")
    if rates.requests_per_second is not None:
        parts.append(f"{rates.requests_per_second:,.1f} requests/s")
    parts += _amounts(counts)
    left = rates.seconds_left(counts)
    if left is not None:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def closing_text(name: str, counts: ProgressCounts, seconds: float) -> str:
    """The last line: what the job did in `seconds`."""
    done = plural(counts.entries_done, "entry", "entries")
    if counts.entries_done != counts.entries_total:
        done = f"{count(counts.entries_done)} of {plural(counts.entries_total, 'entry', 'entries')}"
    requests = plural(counts.requests_done, "request", "requests")
    return ", ".join([f"{name}: {done} in {duration(seconds)}", requests, *_amounts(counts)])


def _amounts(counts: ProgressCounts) -> list[str]:
    """Tokens, cost, journal hits, retries and failures, as far as there are any."""
    parts = []
    tokens = counts.input_tokens + counts.output_tokens
    if tokens:
        parts.append(f"{_short(tokens)} tokens")
    if counts.dollars is not None:
        parts.append(f"${counts.dollars:,.2f}")
    if counts.replayed:
        parts.append(f"{count(counts.replayed)} from the journal")
    if counts.retries:
        parts.append(plural(counts.retries, "retry", "retries"))
    if counts.entries_failed:
        parts.append(f"{count(counts.entries_failed)} failed")
    return parts


def _short(number: int) -> str:
    """A large number with one decimal: 950, 12.3k, 1.2M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def duration(seconds: float) -> str:
    """Seconds for a person: 40 s, 4 min, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min"


class ProgressLine:
    """Shows `counts` while an `async with` block runs, and a summary at its end.

    terminal: whether `stream` is one (default: `stream.isatty()`). clock: seconds, by default those of the
    counts' pauses.
    """

    def __init__(
        self,
        name: str,
        counts: ProgressCounts,
        stream: TextIO | None = None,
        *,
        terminal: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name, self._counts = name, counts
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._clock, self._sleep = clock, sleep
        self._rates = RateWindow()
        self._started = self._written = clock()
        self._live: Live | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> ProgressLine:
        """Starts reading the counts."""
        self._started = self._written = self._clock()
        if self._terminal:
            self._live = self._start_live()
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the live line and writes the last one, whatever ended the block."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._live is not None:
            self._live.stop()
        self._write(closing_text(self._name, self._counts, self._clock() - self._started))

    async def _watch(self) -> None:
        while True:
            self._show()
            await self._sleep(REDRAWN_SECONDS)

    def _show(self) -> None:
        """Reads the counts; redraws the line, or writes one if the last was long ago."""
        now = self._clock()
        self._rates.sample(self._counts, now)
        if self._live is not None:
            self._live.update(_cut(self._text(now)), refresh=True)
        elif now - self._written >= PLAIN_SECONDS:
            self._written = now
            self._write(self._text(now))

    def _text(self, now: float) -> str:
        return progress_text(self._name, self._counts, self._rates, now)

    def _start_live(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream, force_terminal=True, highlight=False)
        # Redrawn by our task alone: a thread would read the counts in the middle of a change.
        live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        live.start()
        return live

    def _write(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


def _cut(line: str) -> Text:
    """A line that is cut at the edge of the terminal."""
    from rich.text import Text

    return Text(line, no_wrap=True, overflow="ellipsis")
