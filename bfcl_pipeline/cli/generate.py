"""`bfcl-pipeline generate`: run one model on the entries of the given categories, write its responses."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bfcl_pipeline.ask.generation import Completed, responses
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.jobs.options import add_job_options, job_from
from bfcl_pipeline.ask.jobs.provenance import record_making
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.benchmark.tables.responses import write_sessions
from bfcl_pipeline.show.screen.displays import Display, LiveDisplay
from bfcl_pipeline.show.screen.lines import summary_text
from bfcl_pipeline.show.screen.progress import JobProgress, RateWindow, job_progress
from bfcl_pipeline.show.screen.run_state import ModelJob, ModelState, RunState
from bfcl_pipeline.show.screen.state_file import write_record

REDRAWN_SECONDS = 0.5
"""Between two readings of the counts."""


@asynccontextmanager
async def shown_progress(
    name: str,
    counts: ProgressCounts,
    display: Display | None,
    file: Path | None,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[None]:
    """Shows the state of a job while the block runs, and what it did at its end, whatever ended it.

    Args:
        name: of the job.
        counts: read twice a second.
        display: draws the state, or writes its lines; None: nothing does.
        file: receives the state, for the screen of the workflow.
        clock: seconds, by default those of the counts' pauses.
        sleep: waits for some seconds.
    """
    rates, started = RateWindow(), clock()

    def report() -> JobProgress:
        progress = job_progress(name, counts, rates, clock() - started, clock())
        if file is not None:
            write_record(file, progress)
        return progress

    async def watch() -> None:
        while True:
            rates.sample(counts, clock())
            model = ModelJob(name=name, state=ModelState.RUNNING, progress=report())
            if display is not None:
                display.update(RunState(models=(model,)))
            await sleep(REDRAWN_SECONDS)

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        progress = report()
        if display is not None:
            display.close()
            display.line(f"{name}: {summary_text(progress)}")


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the command writes, and what it does when the model cannot be used."""

    responses: Path  # a directory
    sessions: Path | None
    progress: Path | None
    provenance: Path | None
    keep_going: bool  # entries then have a status


COLLECTED_AFTER = (100_000, 50, 50)
"""Objects made, and collections of younger ones, between two garbage collections."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_job_options(parser)
    about = "directory for the tables of responses, CATEGORY.parquet each"
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=about)
    about = "directory for the tables of memory sessions and snapshots, CATEGORY.parquet each"
    parser.add_argument("--sessions-out", type=Path, metavar="DIR", help=about)
    about = "also report progress in this file, for the screen of the workflow"
    parser.add_argument("--progress-out", type=Path, metavar="FILE", help=about)
    about = "also write the record of what makes the answers: versions, machine, weights, server"
    parser.add_argument("--provenance-out", type=Path, metavar="FILE", help=about)
    about = (
        "a model that cannot be used gives its entries a status, with which the next run of the workflow "
        "retries them, instead of an error"
    )
    parser.add_argument("--keep-going", action="store_true", help=about)


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry, in entry order; lines on standard error report on the result."""

    def progress(name: str, counts: ProgressCounts) -> AbstractAsyncContextManager[None]:
        # What is loaded by now stays: to collect it again and again would delay answers.
        gc.freeze()
        gc.set_threshold(*COLLECTED_AFTER)
        # An embedded model has its own last line.
        display = (LiveDisplay if sys.stderr.isatty() else Display)(sys.stderr) if job.remote else None
        return shown_progress(name, counts, display, outputs.progress)

    job = job_from(vars(args))
    outputs = Outputs(args.out, args.sessions_out, args.progress_out, args.provenance_out, args.keep_going)
    completed = run_job(
        job,
        progress,
        _log,
        keep_going=outputs.keep_going,
        record=partial(record_making, out=outputs.provenance),
    )
    for category in job.categories:
        _write(category, completed, outputs)
    failed = [one for one in completed if one.response.status is Status.INFRASTRUCTURE_ERROR]
    if failed and outputs.keep_going:
        _log(f"{job.name}: the next run retries {len(failed):,} of them.")
    return 0


def _log(line: str) -> None:
    print(line, file=sys.stderr)


def _write(category: str, completed: Sequence[Completed], outputs: Outputs) -> None:
    """Writes the responses of a category and, if it has any, its memory sessions."""
    own = [one for one in completed if one.entry.category == category]
    if outputs.sessions is not None and CATEGORIES[category].prerequisites:
        sessions = ((one.entry, one.response, one.snapshot) for one in own if one.entry.prerequisite)
        write_sessions(outputs.sessions / f"{category}.parquet", sessions)
    write_responses(outputs.responses / f"{category}.parquet", responses(own))
