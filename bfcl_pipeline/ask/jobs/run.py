"""Carrying out one job: its entries, the backend that answers their requests, their responses.

Covers all kinds of model, and replays; the only place where conversations are started. Progress and report
lines go to what the caller passes in; tables are written by the caller.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TypeAlias, TypeVar

from bfcl_pipeline.ask.generation import (
    Completed,
    EntryFailure,
    FailureOf,
    failure_of,
    unanswered_entries,
)
from bfcl_pipeline.ask.generation.backends import Adapter, Backend, LocalBackend, ReplayBackend
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.ask.jobs.effort import left_text, seconds_of_search
from bfcl_pipeline.ask.jobs.observed import executing, status_counts
from bfcl_pipeline.ask.jobs.provenance import record_making
from bfcl_pipeline.ask.jobs.recorded_answers import given_answers
from bfcl_pipeline.ask.jobs.worlds import observed_run, prepare
from bfcl_pipeline.ask.models import build_adapter, build_derived, build_model
from bfcl_pipeline.ask.models.adapters.row_adapter import RowAdapter
from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ConfigError, NotJournaled, PipelineError
from bfcl_pipeline.base.text import Log, plural, printable
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.benchmark.records import Entry, Status
from bfcl_pipeline.runs.journal import Journal, JournalsReader, journal_path, journals_in
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.world.web.presented import searches

Result = TypeVar("Result")

Progress: TypeAlias = Callable[[str, ProgressCounts], AbstractAsyncContextManager[object]]
"""Shows the counts of the model of that name while its block runs."""


Record: TypeAlias = Callable[[Job, Log], Provenance]
"""Records what makes the answers of a job, when its server is ready; returns the record."""


def run_job(
    job: Job,
    progress: Progress = lambda _name, _counts: nullcontext(),
    log: Log = lambda _line: None,
    *,
    keep_going: bool = False,
    record: Record = record_making,
) -> list[Completed]:
    """Runs the entries of `job` with its model; exchanges in the journal are not repeated.

    Args:
        job: what to run. Answers of a model of kind `results` are read, none is asked for.
        progress: shows the work of the job.
        log: receives lines on the server and the result.
        keep_going: a model behind an API that cannot be used (a missing key or package, a server that does
            not start, a damaged journal) is no error: entries that the journal answers have answers, the
            others have the reason as their status.
        record: called once, before the first request, unless this is a replay.

    Returns:
        Every entry with its response, sessions included, in entry order. Failures of single entries, and a
        model that refuses all requests, are statuses.

    Raises:
        ConfigError: the job cannot be done.
        PipelineError: the model cannot be used, without `keep_going`.
        WebError: what the calls in given answers need of a web API cannot be recorded now.
    """
    if job.recorded:
        record(job, log)
        return given_answers(job, log)
    if job.row.family and (not job.replay or job.row.weights is None):
        job = replace(job, row=identify_weights(job.row, log, job.paths.weights_cache))
    counts = ProgressCounts()
    live = job.web.mode in NETWORK_MODES and not job.replay
    conversations = prepare(job, counts=counts.web if live else None)
    entries, observed, origin = conversations.entries, conversations.observed, conversations.origin
    if live:
        counts.web.start(filter(searches, entries), seconds_of_search(job.web))
    with_calls = executing(job, observed)

    async def run() -> list[Completed]:
        async with open_backend(job, entries, counts, progress, log, record) as backend:
            return await conversations.run(backend, counts, with_calls=with_calls)

    async def run_from_journal(reason: PipelineError) -> list[Completed]:
        async with _journal_backend(job, ProgressCounts()) as backend:
            return await conversations.run(backend, failure=_failing(reason), with_calls=with_calls)

    started = time.perf_counter()
    try:
        completed = run_to_end(run)
    except PipelineError as error:
        if not keep_going or job.embedded or job.replay:
            raise
        reason = error
        try:
            completed = run_to_end(lambda: run_from_journal(reason))
        except PipelineError:  # the journal, or what conversations run in, cannot be read either
            failure = EntryFailure(Status.INFRASTRUCTURE_ERROR, str(reason))
            completed = unanswered_entries(entries, job.row.mode, origin, failure)
    if job.embedded:
        speed = len(completed) / max(time.perf_counter() - started, 1e-9)
        sessions = sum(one.entry.prerequisite for one in completed)
        counts_text = plural(len(completed) - sessions, "entry", "entries")
        counts_text += f" + {plural(sessions, 'session', 'sessions')}" if sessions else ""
        log(f"{job.name} {', '.join(job.categories)}: {counts_text}, {speed:,.0f}/s")
    for line in observed.summary(job.name, completed) if job.replay else _unanswered(job.name, completed):
        log(line)
    if counts.web.questions.failed:
        log(f"{job.name}: {left_text(counts.web.questions, job.web)}")
    return completed


def run_to_end(run: Callable[[], Coroutine[None, None, Result]]) -> Result:
    """The result of `run`, in an event loop of its own: a notebook has one already in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(run())).result()


@asynccontextmanager
async def open_backend(
    job: Job,
    entries: Sequence[Entry],
    counts: ProgressCounts,
    progress: Progress,
    log: Log,
    record: Record,
) -> AsyncIterator[Backend]:
    """The backend that answers for the model of `job`; it is closed when the block ends."""
    row, folder = job.row, job.paths.journals / job.folder
    if job.embedded:
        record(job, log)
        async with progress(_label(job), counts):
            yield LocalBackend(build_model(row), entries)
        return
    if job.replay:
        async with progress(_label(job), counts), _journal_backend(job, counts) as backend:
            yield backend
        return
    adapter = _adapter(row, job.paths, job.budget)
    if job.budget is not None and None in (row.input_price, row.output_price):
        log(f"{job.name}: its row has no prices, so the budget does not limit it: hours are not counted.")
    secrets = [os.environ[row.key]] if row.key and os.environ.get(row.key) else []
    # Trials and shards may run side by side.
    path = journal_path(folder, job.selection.shard.number)
    journal = Journal.open(path, secrets, wait=job.wait_for_lease)
    try:
        adapter.open(log)
        made_by = record(job, log)
        if isinstance(adapter, RowAdapter):
            adapter.server = made_by.server
        terms = RunTerms(job.run, made_by.sha256, job.trial, row.input_price, row.output_price, job.budget)
        async with progress(_label(job), counts):
            yield ApiBackend(adapter, journal, row.limits, terms, counts)
    finally:
        await adapter.close()
        await journal.close()


@asynccontextmanager
async def _journal_backend(job: Job, counts: ProgressCounts) -> AsyncIterator[Backend]:
    """The backend that answers from the journals of the model alone."""
    adapter = build_derived(job.row, observed_run(job), job.folder)
    with JournalsReader(journals_in(job.paths.journals / job.folder)) as journals:
        yield ReplayBackend(adapter, journals, job.trial, counts)


def _failing(reason: PipelineError) -> FailureOf:
    """Failures of a job whose model cannot be used: what has no recorded answer fails for that reason."""

    def failure(entry: Entry, error: PipelineError) -> EntryFailure:
        if isinstance(error, NotJournaled):
            return EntryFailure(Status.INFRASTRUCTURE_ERROR, str(reason))
        return failure_of(entry, error)

    return failure


def _label(job: Job) -> str:
    """The name of the job for people: the model's, with the shard if there are several."""
    shard = job.selection.shard
    return job.name if shard.of == 1 else f"{job.name} {shard}"


def _adapter(row: ModelRow, paths: JobPaths, budget: float | None) -> Adapter:
    """The adapter of a model behind an API. Raises ConfigError if a price or a server is missing."""
    if budget is not None and None in (row.input_price, row.output_price) and not row.served:
        raise ConfigError(
            f"{row.name}: a budget needs prices: give its row input_price and output_price (0: free)."
        )
    if row.served and paths.endpoint is None:
        raise ConfigError(
            f"{row.name} is served by the run: start it with `snakemake`, or serve it yourself "
            f"(`bfcl-pipeline serve {row.name} --address-out FILE`) and give --endpoint-from FILE."
        )
    return build_adapter(row, None if paths.endpoint is None else ready_endpoint(paths.endpoint))


def _unanswered(name: str, completed: Sequence[Completed]) -> Iterator[str]:
    """A line on the entries without an answer, if there are any."""
    failed = [one.response for one in completed if one.response.status is not Status.ANSWERED]
    if failed:
        yield (
            f"{name}: without an answer: {status_counts(failed)}. "
            f"The first, {failed[0].entry_id}: {printable(str(failed[0].status_detail))}"
        )
