"""`bfcl-pipeline generate`: run one model on the entries of the given categories, write its responses."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
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
from bfcl_pipeline.benchmark.tables.sessions import write_sessions
from bfcl_pipeline.cli.progress import ProgressLine, ProgressWatch
from bfcl_pipeline.show.screen.progress_file import ProgressFile

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
