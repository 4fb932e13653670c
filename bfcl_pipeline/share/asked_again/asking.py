"""Sends drawn requests to the verifier's model: journaled, paced, retried and paid as those of a run.

The journal is the verifier's own, so that an asking that was interrupted goes on without paying twice. The
trial in its keys is the number of the asking. Before, it is stated what will be sent, cost and take: tokens
and seconds are those that the archive has for the same requests; the tokens sent are at least those that
follow from their length, since an archive may say what it likes. For a model that a run serves, vLLM is
started as the workflow does.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.remote import CHARACTERS_PER_TOKEN, ApiBackend, RunTerms
from bfcl_pipeline.ask.jobs.provenance import job_record
from bfcl_pipeline.ask.jobs.run import run_to_end
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.text import Log, duration, plural, step_line
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow
from bfcl_pipeline.benchmark.records import Exchange
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.journal import (
    Journal,
    JournaledExchange,
    JournalsReader,
    exchange_key,
    journal_path,
    journals_in,
)
from bfcl_pipeline.runs.making import Making, making_of
from bfcl_pipeline.runs.provenance import write_provenance
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest, RequestDraw

RUN = "asked again"
"""The run in the journal of an asking."""

FreshAnswer: TypeAlias = Exchange | str
"""What came of asking one request once; a text says why there is no answer."""

_MOST_SECONDS = 86_400.0  # that one answer may have taken: an archive may say infinity, or no number
_END_SECONDS = 60.0  # that the server has to end


@dataclass(frozen=True, slots=True)
class AskingJob:
    """The requests to one model of the verifier."""

    row: ModelRow  # the verifier's
    draw: RequestDraw
    askings: int  # of each request
    budget: float | None  # US dollars that all askings with this journal may cost; None: no limit
    folder: Path  # of the journal
    weights_cache: Path  # hashes of weights
    texts: Texts  # of the staged release

    def journaled(self) -> list[JournaledExchange | None]:
        """What the journal has of each request, over all askings. Raises JournalError."""
        adapter = build_adapter(self.row, offline=True)
        bodies = [
            (one.entry.entry_id, adapter.body(adapter.asking.written(one.request, self.texts)))
            for one in self.draw.requests
        ]
        with JournalsReader(journals_in(self.folder)) as journals:
            return [
                journals.find(exchange_key(adapter.identity, entry_id, number + 1, body))
                for entry_id, body in bodies
                for number in range(self.askings)
            ]

    def making(self) -> Making:
        """What made the fresh answers."""
        return making_of((one for one in self.journaled() if one is not None), self.folder)


def plan_lines(job: AskingJob) -> Iterator[str]:
    """What will be sent, cost and take, for a person."""
    draw, row, requests = job.draw, job.row, job.draw.requests
    left = job.journaled().count(None)
    share = left / max(1, len(requests))  # how often each is still to be asked, on average
    sent = round(share * sum(map(_input_tokens, requests)))
    received = round(share * sum(one.exchange.output_tokens or 0 for one in requests))
    cost, time = "no price known", "unknown time"
    if row.input_price is not None and row.output_price is not None:
        cost = f"about ${(sent * row.input_price + received * row.output_price) / 1e6:,.2f}"
    given = [one.journaled.latency_seconds for one in requests]
    latencies = [seconds for seconds in given if seconds is not None and 0 <= seconds <= _MOST_SECONDS]
    if latencies:
        at_once = max(1, min(row.limits.in_flight, len(requests)))
        per_minute = row.limits.requests_per_minute
        paced = len(requests) * 60 / per_minute if per_minute else 0.0
        time = duration(share * max(sum(latencies) / at_once, *latencies, paced))
    drawn = f"{len(requests):,} of {plural(draw.of, 'request', 'requests')} drawn"
    yield f"{draw.model}: {drawn}, each asked {job.askings} times by your row {row.name}"
    yield (
        f"{draw.model}: to be sent {plural(left, 'request', 'requests')}, about {sent:,} tokens sent and "
        f"{received:,} received, {cost}, about {time}"
    )


def _input_tokens(drawn: DrawnRequest) -> int:
    by_length = len(json.dumps(drawn.body, ensure_ascii=False)) // CHARACTERS_PER_TOKEN
    return max(drawn.exchange.input_tokens or 0, by_length)


@contextmanager
def own_server(
    row: ModelRow,
    models: Sequence[Path],
    endpoint: str | None,
    address: Path | None,
    log_file: Path,
    log: Log,
) -> Iterator[tuple[str | None, Path | None]]:
    """The server that answers for the model of `row` while the block runs: its URL and its status file.

    Both are None for a model that has its own endpoint; a server with a given URL may have no status file.

    Args:
        row: the verifier's.
        models: the models files with the row; none: the usual ones.
        endpoint: URL of a server that runs.
        address: the status file of a server that runs.
        log_file: file for the output of a server that is started, if neither is given.
        log: receives a line on it.

    Raises:
        ModelError: the server fails.
    """
    if not row.served or endpoint is not None:
        yield endpoint, None
    elif address is not None:
        yield ready_endpoint(address), address
    else:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="bfcl-ask-") as folder:
            path = Path(folder) / "address.json"
            path.touch()  # as the workflow does: the server writes it once it has started
            log(f"{row.name}: starting vLLM; its log is {log_file}")
            command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", row.name]
            command += [f"--models={file}" for file in models]
            command += [f"--address-out={path}", f"--log={log_file}", "--end-with-parent"]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    yield ready_endpoint(path), path
                finally:
                    process.terminate()
                    try:
                        process.wait(_END_SECONDS)
                    except subprocess.TimeoutExpired:
                        process.kill()


def ask(
    job: AskingJob, endpoint: str | None, address: Path | None, counts: ProgressCounts, log: Log
) -> list[tuple[FreshAnswer, ...]]:
    """Asks every request, one asking after the other.

    Args:
        job: what to ask.
        endpoint: URL of the server, if it is not at the endpoint of the row.
        address: its status file.
        counts: receives what was sent and what it cost.
        log: receives a line for each answer, and what the adapter says.

    Returns:
        The answers to each request, in the order of the draw.

    Raises:
        ConfigError: a key or a package is missing.
        ModelError: the model cannot be used.
        JournalError: the journal cannot be written.
    """
    adapter = build_adapter(job.row, endpoint)
    return run_to_end(lambda: _ask(adapter, job, address, counts, log))


async def _ask(
    adapter: Adapter, job: AskingJob, address: Path | None, counts: ProgressCounts, log: Log
) -> list[tuple[FreshAnswer, ...]]:
    row, done = job.row, 0

    async def answer(backend: ApiBackend, one: DrawnRequest) -> FreshAnswer:
        nonlocal done
        session = backend.session(one.entry, expected_requests(one.entry))
        try:
            fresh: FreshAnswer = await session(adapter.asking.written(one.request, job.texts))
        except ModelError as error:
            fresh = str(error)
        done += 1
        log(step_line(done, job.askings * len(job.draw.requests), f"Ask {row.name} again"))
        return fresh

    rounds: list[list[FreshAnswer]] = []
    secrets = [os.environ[row.key]] if row.key and os.environ.get(row.key) else []
    journal = Journal.open(journal_path(job.folder), secrets)
    try:
        adapter.open(log)
        # What makes the answers is recorded beside the journal.
        paths = JobPaths(weights_cache=job.weights_cache, endpoint=address)
        record = write_provenance(
            job.folder, job_record(Job(row=row, categories=(), run=RUN, paths=paths), log)
        )
        for number in range(1, job.askings + 1):
            terms = RunTerms(RUN, record, number, row.input_price, row.output_price, job.budget)
            backend = ApiBackend(adapter, journal, row.limits, terms, counts)
            rounds.append(await asyncio.gather(*(answer(backend, one) for one in job.draw.requests)))
    finally:
        await adapter.close()
        await journal.close()
    return list(zip(*rounds, strict=True))
