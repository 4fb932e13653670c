"""`bfcl-pipeline generate`: run one model on the entries of the given categories, write its responses."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from bfcl_pipeline.ask.generation import Completed, responses
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.jobs.options import add_job_options, job_from
from bfcl_pipeline.ask.jobs.provenance import record_making
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.benchmark.tables.responses import write_sessions
from bfcl_pipeline.show.screen.progress import (
    FIRST_SECONDS,
    PLAIN_SECONDS,
    JobProgress,
    RateWindow,
    closing_text,
    job_progress,
    progress_text,
)
from bfcl_pipeline.show.screen.progress_file import ProgressFile

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


COLLECTED_AFTER = (100_000, 50, 50)
"""Objects made, and collections of younger ones, between two garbage collections."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_job_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="directory for the tables of responses, CATEGORY.parquet each",
    )
    parser.add_argument(
        "--sessions-out",
        type=Path,
        metavar="DIR",
        help="directory for the tables of memory sessions and snapshots, CATEGORY.parquet each",
    )
    parser.add_argument(
        "--progress-out",
        type=Path,
        metavar="FILE",
        help="also report progress in this file, for the screen of the workflow",
    )
    parser.add_argument(
        "--provenance-out",
        type=Path,
        metavar="FILE",
        help="also write the record of what makes the answers: versions, machine, weights, server",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="a model that cannot be used gives its entries a status, with which the next run of the "
        "workflow retries them, instead of an error",
    )


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry, in entry order; lines on standard error report on the result."""

    def progress(name: str, counts: ProgressCounts) -> ProgressWatch:
        # What is loaded by now stays: to collect it again and again would delay answers.
        gc.freeze()
        gc.set_threshold(*COLLECTED_AFTER)
        line = [] if not job.remote else [ProgressLine()]  # an embedded model has its own last line
        file = [] if args.progress_out is None else [ProgressFile(args.progress_out)]
        return ProgressWatch(name, counts, [*line, *file])

    job = job_from(vars(args))
    completed = run_job(
        job,
        progress,
        _log,
        keep_going=args.keep_going,
        record=partial(record_making, out=args.provenance_out),
    )
    for category in job.categories:
        _write(category, completed, args.out, args.sessions_out)
    failed = [one for one in completed if one.response.status is Status.INFRASTRUCTURE_ERROR]
    if failed and args.keep_going:
        _log(f"{job.name}: the next run retries {len(failed):,} of them.")
    return 0


def _log(line: str) -> None:
    print(line, file=sys.stderr)


def _write(category: str, completed: Sequence[Completed], out: Path, sessions_out: Path | None) -> None:
    """Writes the responses of a category and, if it has any, its memory sessions."""

    own = [one for one in completed if one.entry.category == category]
    if sessions_out is not None and CATEGORIES[category].prerequisites:
        sessions = ((one.entry, one.response, one.snapshot) for one in own if one.entry.prerequisite)
        write_sessions(sessions_out / f"{category}.parquet", sessions)
    write_responses(out / f"{category}.parquet", responses(own))
