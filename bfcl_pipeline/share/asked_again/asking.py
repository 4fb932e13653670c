"""Sends drawn requests to the verifier's model: journaled, paced, retried and paid as those of a run.

The journal is the verifier's own, so that an asking that was interrupted goes on without paying twice. The
trial in its keys is the number of the asking. Before, it is stated what will be sent, cost and take: tokens
and seconds are those that the archive has for the same requests; the tokens sent are at least those that
follow from their length, since an archive may say what it likes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.remote import CHARACTERS_PER_TOKEN, ApiBackend, RunTerms
from bfcl_pipeline.ask.jobs.provenance import job_record
from bfcl_pipeline.ask.jobs.run import run_to_end
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.text import Log, duration, plural, step_line
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow
from bfcl_pipeline.benchmark.records import Exchange
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.journal import (
    Journal,
    JournalsReader,
    exchange_key,
    journal_path,
    journals_in,
)
from bfcl_pipeline.runs.provenance import write_provenance
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest, RequestDraw
from bfcl_pipeline.share.asked_again.own_model import own_request

_MOST_SECONDS = 86_400.0  # that one answer may have taken: an archive may say infinity, or no number


@dataclass(frozen=True, slots=True)
class AskingPlan:
    """The requests to one model."""

    model: str  # the name in the archive
    own: str  # the name of the verifier's row
    drawn: int  # requests
    of: int  # requests of the run with this model
    askings: int  # of each
    left: int  # to be sent: the others were answered before
    input_tokens: int  # about, of those to be sent
    output_tokens: int  # about
    dollars: float | None  # about, by the prices of the verifier's row; None: it has none
    seconds: float | None  # about; None: the archive has no latencies

    def lines(self) -> Iterator[str]:
        """The plan for a person."""
        asked = f"{self.drawn:,} of {plural(self.of, 'request', 'requests')} drawn"
        yield f"{self.model}: {asked}, each asked {self.askings} times by your row {self.own}"
        cost = "no price known" if self.dollars is None else f"about ${self.dollars:,.2f}"
        time = "unknown time" if self.seconds is None else duration(self.seconds)
        yield (
            f"{self.model}: to be sent {plural(self.left, 'request', 'requests')}, about "
            f"{self.input_tokens:,} tokens sent and {self.output_tokens:,} received, {cost}, "
            f"about {time}"
        )


def asking_plan(job: AskingJob) -> AskingPlan:
    """The plan of one job."""
    draw, row, left = job.draw, job.row, job.left()
    share = left / max(1, len(draw.requests))  # how often each is still to be asked, on average
    sent = round(share * sum(map(_input_tokens, draw.requests)))
    received = round(share * sum(one.exchange.output_tokens or 0 for one in draw.requests))
    dollars = None
    if row.input_price is not None and row.output_price is not None:
        dollars = (sent * row.input_price + received * row.output_price) / 1e6
    seconds = _seconds(draw.requests, row, share)
    return AskingPlan(
        draw.model,
        row.name,
        len(draw.requests),
        draw.of,
        job.askings,
        left,
        sent,
        received,
        dollars,
        seconds,
    )


def _input_tokens(drawn: DrawnRequest) -> int:
    by_length = len(json.dumps(drawn.body, ensure_ascii=False)) // CHARACTERS_PER_TOKEN
    return max(drawn.exchange.input_tokens or 0, by_length)


def _seconds(requests: Sequence[DrawnRequest], row: ModelRow, share: float) -> float | None:
    """About how long the requests take, `share` times, with as many at once as the row allows."""
    given = [one.journaled.latency_seconds for one in requests]
    latencies = [seconds for seconds in given if seconds is not None and 0 <= seconds <= _MOST_SECONDS]
    if not latencies:
        return None
    together, longest = sum(latencies), max(latencies)
    at_once = max(1, min(row.limits.in_flight, len(requests)))
    seconds = share * max(together / at_once, longest)
    per_minute = row.limits.requests_per_minute
    return max(seconds, share * len(requests) * 60 / per_minute) if per_minute else seconds


RUN = "asked again"
"""The run in the journal of an asking."""


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

    def keys(self) -> Iterator[str]:
        """The keys of all requests in the journal."""
        adapter = build_adapter(self.row, offline=True)
        for one in self.draw.requests:
            body = adapter.body(own_request(adapter, one.request, self.texts))
            for number in range(1, self.askings + 1):
                yield exchange_key(adapter.identity, one.entry.entry_id, number, body)

    def left(self) -> int:
        """How many requests the journal has no answer to yet, over all askings."""
        with JournalsReader(journals_in(self.folder)) as journals:
            return sum(key not in journals for key in self.keys())


@dataclass(frozen=True, slots=True)
class OwnServer:
    """The server that answers, if it is not at the endpoint of the verifier's row."""

    endpoint: str | None = None  # URL of its API
    address: Path | None = None  # its status file, which says what it is


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """What came of asking one request once."""

    exchange: Exchange | None  # None: no answer
    failure: str = ""  # why there is none


@dataclass(frozen=True, slots=True)
class Fresh:
    """What came of asking again, for each request in the order of the draw."""

    answers: tuple[tuple[FreshAnswer, ...], ...]  # by asking
    sent: int  # answered now
    earlier: int  # answered by the journal: an earlier asking was interrupted, or is repeated
    dollars: float | None  # what was sent cost; None: no prices


def ask(job: AskingJob, server: OwnServer, log: Log) -> Fresh:
    """Asks every request, one asking after the other. A request that fails has its reason instead.

    Args:
        job: what to ask.
        server: what answers.
        log: receives a line for each answer, and what the adapter says.

    Raises:
        ConfigError: a key or a package is missing.
        ModelError: the model cannot be used.
        JournalError: the journal cannot be written.
    """
    adapter = build_adapter(job.row, server.endpoint)
    return run_to_end(lambda: _ask(adapter, job, server, log))


async def _ask(adapter: Adapter, job: AskingJob, server: OwnServer, log: Log) -> Fresh:
    row = job.row
    secrets = [os.environ[row.key]] if row.key and os.environ.get(row.key) else []
    counts, done = ProgressCounts(), 0
    total = job.askings * len(job.draw.requests)

    async def answer(backend: ApiBackend, one: DrawnRequest) -> FreshAnswer:
        nonlocal done
        session = backend.session(one.entry, expected_requests(one.entry))
        try:
            fresh = FreshAnswer(await session(own_request(adapter, one.request, job.texts)))
        except ModelError as error:
            fresh = FreshAnswer(None, str(error))
        done += 1
        log(step_line(done, total, f"Ask {row.name} again"))
        return fresh

    rounds: list[list[FreshAnswer]] = []
    journal = Journal.open(journal_path(job.folder), secrets)
    try:
        adapter.open(log)
        record = _record(job, server, log)
        for number in range(1, job.askings + 1):
            terms = RunTerms(RUN, record, number, row.input_price, row.output_price, job.budget)
            backend = ApiBackend(adapter, journal, row.limits, terms, counts)
            rounds.append(await asyncio.gather(*(answer(backend, one) for one in job.draw.requests)))
    finally:
        await adapter.close()
        await journal.close()
    answers = tuple(zip(*rounds, strict=True))
    return Fresh(answers, counts.requests_done, counts.replayed, counts.dollars)


def _record(job: AskingJob, server: OwnServer, log: Log) -> str:
    """Writes the record of what makes the answers beside the journal; its SHA-256."""
    paths = JobPaths(weights_cache=job.weights_cache, endpoint=server.address)
    return write_provenance(
        job.folder, job_record(Job(row=job.row, categories=(), run=RUN, paths=paths), log)
    )
