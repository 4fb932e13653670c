"""Shows the progress of a job while it runs: a line on standard error, and a file for the workflow.

On a terminal the line is redrawn in place; elsewhere (a log) plain lines, the first after a second and then
one every 30 seconds. Counts are read and never changed; standard output stays free for results.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.show.screen.progress import (
    FIRST_SECONDS,
    PLAIN_SECONDS,
    JobProgress,
    RateWindow,
    closing_text,
    job_progress,
    progress_text,
)

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

REDRAWN_SECONDS = 0.5
"""Between two readings of the counts."""


class ProgressView(Protocol):
    """Shows the states of one job."""

    def show(self, progress: JobProgress) -> None:
        """Shows the state of a running job."""

    def close(self, progress: JobProgress) -> None:
        """Shows the last state."""


class ProgressWatch:
    """Passes the state of a job to its displays while an `async with` block runs, and at its end.

    clock: seconds, by default those of the counts' pauses.
    """

    def __init__(
        self,
        name: str,
        counts: ProgressCounts,
        displays: Sequence[ProgressView],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name, self._counts, self._displays = name, counts, displays
        self._clock, self._sleep = clock, sleep
        self._rates = RateWindow()
        self._started = clock()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> ProgressWatch:
        """Starts reading the counts."""
        self._started = self._clock()
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Shows the last state, whatever ended the block."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        progress = self._progress()
        for display in self._displays:
            display.close(progress)

    async def _watch(self) -> None:
        while True:
            self._rates.sample(self._counts, self._clock())
            progress = self._progress()
            for display in self._displays:
                display.show(progress)
            await self._sleep(REDRAWN_SECONDS)

    def _progress(self) -> JobProgress:
        now = self._clock()
        return job_progress(self._name, self._counts, self._rates, now - self._started, now)


class ProgressLine:
    """Writes the progress to a stream. terminal: whether it is one (default: `stream.isatty()`)."""

    def __init__(self, stream: TextIO | None = None, *, terminal: bool | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._next = FIRST_SECONDS
        self._live: Live | None = None

    def show(self, progress: JobProgress) -> None:
        """Redraws the line, or writes one if the last was long ago."""
        if self._terminal:
            self._live = self._live or self._start_live()
            self._live.update(_cut(progress_text(progress)), refresh=True)
        elif progress.seconds >= self._next:
            self._next = progress.seconds + PLAIN_SECONDS
            self._write(progress_text(progress))

    def close(self, progress: JobProgress) -> None:
        """Removes the live line and writes the last one."""
        if self._live is not None:
            self._live.stop()
        self._write(closing_text(progress))

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
