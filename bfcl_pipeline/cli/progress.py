"""The progress line of a job: how far it is, how fast, what it cost so far, how long it will take.

On a terminal one line that is redrawn in place; elsewhere (a log) plain lines, seldom. It reads a
`generation.tally.Tally` and changes nothing; standard output stays free for results.
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

from bfcl_pipeline.generation.tally import Tally
from bfcl_pipeline.report.cells import count, plural

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

REDRAWN_SECONDS = 0.25
"""From one look at the tally to the next."""

PLAIN_SECONDS = 30.0
"""From one plain line to the next."""

WINDOW_SECONDS = 30.0
"""Over how much of the recent past the rate is taken."""

SURE_SECONDS = 1.0
"""A rate over less time says nothing."""


@dataclass(slots=True)
class Pace:
    """How fast requests and entries came in of late.

    Answers out of the journal come at once and say nothing of the model: with each the watch starts anew.
    """

    seen: deque[tuple[float, int, int]] = field(default_factory=deque)  # seconds, requests, entries
    replayed: int = 0

    def look(self, tally: Tally, now: float) -> None:
        """Remembers how far `tally` is, and forgets what is longer ago than the window."""
        if tally.replayed != self.replayed:
            self.replayed = tally.replayed
            self.seen.clear()
        self.seen.append((now, tally.requests_done, tally.entries_done))
        while len(self.seen) > 2 and now - self.seen[1][0] >= WINDOW_SECONDS:
            self.seen.popleft()

    @property
    def requests_per_second(self) -> float | None:
        """None while there is too little to go by."""
        return self._per_second(1)

    def seconds_left(self, tally: Tally) -> float | None:
        """From the requests that are left, or else the entries; None while nothing tells."""
        if tally.requests_left is not None:
            left, speed = tally.requests_left, self._per_second(1)
        else:
            left, speed = tally.entries_total - tally.entries_done, self._per_second(2)
        return left / speed if left and speed else None

    def _per_second(self, column: int) -> float | None:
        if len(self.seen) < 2:
            return None
        first, last = self.seen[0], self.seen[-1]
        seconds = last[0] - first[0]
        return (last[column] - first[column]) / seconds if seconds >= SURE_SECONDS else None


def progress_text(name: str, tally: Tally, pace: Pace, now: float) -> str:
    """The line: what is known, nothing else. `now` is by the clock of the tally's pauses."""
    parts = [f"{name}: {count(tally.entries_done)}/{plural(tally.entries_total, 'entry', 'entries')}"]
    if tally.paused_until is not None and tally.paused_until > now:
        reason = f": {tally.pause_reason}" if tally.pause_reason else ""
        parts.append(f"waits {max(tally.paused_until - now, 1):,.0f} s{reason}")
    parts.append(f"{count(tally.requests_in_flight)} in flight")
    if pace.requests_per_second is not None:
        parts.append(f"{pace.requests_per_second:,.1f} requests/s")
    parts += _amounts(tally)
    left = pace.seconds_left(tally)
    if left is not None:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def closing_text(name: str, tally: Tally, seconds: float) -> str:
    """The last line: what the job did in all its `seconds`."""
    done = plural(tally.entries_done, "entry", "entries")
    if tally.entries_done != tally.entries_total:
        done = f"{count(tally.entries_done)} of {plural(tally.entries_total, 'entry', 'entries')}"
    requests = plural(tally.requests_done, "request", "requests")
    return ", ".join([f"{name}: {done} in {duration(seconds)}", requests, *_amounts(tally)])


def _amounts(tally: Tally) -> list[str]:
    """What was sent and received, what it cost, and what went other than planned."""
    parts = []
    tokens = tally.input_tokens + tally.output_tokens
    if tokens:
        parts.append(f"{_short(tokens)} tokens")
    if tally.dollars is not None:
        parts.append(f"${tally.dollars:,.2f}")
    if tally.replayed:
        parts.append(f"{count(tally.replayed)} from the journal")
    if tally.retries:
        parts.append(plural(tally.retries, "retry", "retries"))
    if tally.entries_failed:
        parts.append(f"{count(tally.entries_failed)} failed")
    return parts


def _short(number: int) -> str:
    """A large number with a digit behind the point: 950, 12.3k, 1.2M."""
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
    """Shows `tally` while an `async with` block runs, and what it came to at its end.

    terminal: whether `stream` is one (default: as it says). clock: seconds, by default the tally's.
    """

    def __init__(
        self,
        name: str,
        tally: Tally,
        stream: TextIO | None = None,
        *,
        terminal: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name, self._tally = name, tally
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._clock, self._sleep = clock, sleep
        self._pace = Pace()
        self._started = self._written = clock()
        self._live: Live | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> ProgressLine:
        """Starts looking at the tally."""
        self._started = self._written = self._clock()
        if self._terminal:
            self._live = self._opened()
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the line in place and writes the last one, whatever ended the block."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._live is not None:
            self._live.stop()
        self._write(closing_text(self._name, self._tally, self._clock() - self._started))

    async def _watch(self) -> None:
        while True:
            self._show()
            await self._sleep(REDRAWN_SECONDS)

    def _show(self) -> None:
        """Looks at the tally; redraws the line, or writes one if the last was long ago."""
        now = self._clock()
        self._pace.look(self._tally, now)
        if self._live is not None:
            self._live.update(_cut(self._text(now)), refresh=True)
        elif now - self._written >= PLAIN_SECONDS:
            self._written = now
            self._write(self._text(now))

    def _text(self, now: float) -> str:
        return progress_text(self._name, self._tally, self._pace, now)

    def _opened(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream, force_terminal=True, highlight=False)
        # Redrawn by our task alone: a thread would read the tally in the middle of a change.
        live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        live.start()
        return live

    def _write(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


def _cut(line: str) -> Text:
    """A line that ends where the terminal does."""
    from rich.text import Text

    return Text(line, no_wrap=True, overflow="ellipsis")
