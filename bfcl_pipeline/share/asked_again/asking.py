"""Draws requests of an archived run by a seed, and sends them to the verifier's model as a run would.

They are journaled, paced and retried. The journals are the verifier's own, one for each asking, so that an
asking that was interrupted goes on without paying twice. The work is estimated from the tokens and seconds
that the archive has for the same requests; the tokens sent are at least those that follow from their
length, since an archive may say what it likes.
"""

import asyncio
import hashlib
import json
from bisect import insort
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from operator import itemgetter
from statistics import fmean
from typing import TypeAlias

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.generation.backends import Backend, ReplayedRequest
from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.remote import CHARACTERS_PER_TOKEN
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.ask.jobs.effort import Consumption, Effort, EntryFigures, effort
from bfcl_pipeline.ask.jobs.provenance import record_making
from bfcl_pipeline.ask.jobs.run import open_backend, run_to_end
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.text import Log, step_line
from bfcl_pipeline.benchmark.config import Job
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, exchange_key, journals_in
from bfcl_pipeline.runs.making import Making, making_of
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """One request of the archived run, with its answer."""

    entry: Entry
    request: Request
    body: Json  # as the run sent it
    key: str  # of the exchange
    exchange: Exchange  # the answer as the run read it


@dataclass(frozen=True, slots=True)
class RequestDraw:
    """What was drawn of one model."""

    model: str  # its name in the archive
    folder: str  # the directory name of its first trial
    requests: tuple[DrawnRequest, ...]  # in the order of the draw
    of: int  # requests that could be drawn: of the run with this model, in its first trial


def models_of(run: Run) -> dict[str, str]:
    """By the names of the models behind an API: the directory names of their first trials."""
    first: dict[str, str] = {}
    for folder in sorted(run.recorded.remote, key=lambda folder: run.recorded.job_of(folder).trial):
        first.setdefault(run.recorded.job_of(folder).row.name, folder)
    return first


def draw(run: Run, model: str, count: int, seed: int) -> RequestDraw:
    """Draws `count` requests of the first trial of a model; fewer if the run has fewer.

    The order of a draw is that of the hashes of seed and key: it does not depend on files or on the number
    that is drawn, and nobody who does not know the seed knows what will be drawn.
    """
    job = replay_job(run, models_of(run)[model])
    seen: set[str] = set()
    first: list[tuple[str, DrawnRequest]] = []  # with their ranks, by rank

    def receive(one: ReplayedRequest) -> None:
        if one.journaled is None or one.exchange is None or one.key in seen:
            return
        seen.add(one.key)
        rank = hashlib.sha256(f"{seed} {one.key}".encode()).hexdigest()
        drawn = DrawnRequest(one.entry, one.request, one.body, one.key, one.exchange)
        insort(first, (rank, drawn), key=itemgetter(0))
        del first[count:]

    capture(job, receive)
    return RequestDraw(model, job.folder, tuple(one for _, one in first), len(seen))


ASKINGS = (1, 2)
"""The trials of the verifier's model; the second shows how much its own answers vary."""

FreshAnswer: TypeAlias = Exchange | str  # of one request, asked once; a text says why there is none

_MOST_SECONDS = 86_400.0  # that one answer may have taken: an archive may say infinity, or no number


@dataclass(frozen=True)
class AskingJob:
    """The requests to one model of the verifier."""

    job: Job  # with the verifier's row; an asking is a trial of it
    draw: RequestDraw
    texts: Texts  # of the staged release

    @cached_property
    def adapter(self) -> Adapter:
        """Writes requests and reads answers, and sends nothing."""
        return build_adapter(self.job.row, offline=True)

    def _journaled(self, asking: Job) -> list[JournaledExchange | None]:
        """What the journal has of each request in one asking. Raises JournalError."""
        adapter = self.adapter
        bodies = (
            adapter.body(adapter.asking.written(one.request, self.texts)) for one in self.draw.requests
        )
        with JournalsReader(journals_in(asking.paths.journals / asking.folder)) as journals:
            return [
                journals.find(exchange_key(adapter.identity, one.entry.entry_id, asking.trial, body))
                for one, body in zip(self.draw.requests, bodies, strict=True)
            ]

    def making(self) -> Making:
        """What made the answers of the first asking."""
        found = [one for one in self._journaled(self.job) if one is not None]
        return making_of(found, self.job.paths.journals / self.job.folder)

    def effort(self) -> Effort:
        """What is still to be sent, and what it needs."""
        left: dict[str, list[DrawnRequest]] = {}
        for number in ASKINGS:
            journaled = self._journaled(replace(self.job, trial=number))
            for one, answer in zip(self.draw.requests, journaled, strict=True):
                if answer is None:
                    left.setdefault(one.entry.category, []).append(one)
        figures = {category: _figures(requests) for category, requests in left.items()}
        none = dict.fromkeys(figures, EntryFigures(0, 0, 0, 0, 0))  # sessions are among the requests
        used = Consumption(figures, none, "the archive")
        return effort({name: len(requests) for name, requests in left.items()}, used, self.job.row)

    def ask(self, log: Log) -> list[tuple[FreshAnswer, ...]]:
        """The answers to each request in the order of the draw, by asking.

        log: receives a line for each answer, and what the adapter says.

        Raises ConfigError, ModelError or JournalError if nothing can be asked.
        """
        numbers, total = count(1), len(ASKINGS) * len(self.draw.requests)

        async def answer(backend: Backend, one: DrawnRequest) -> FreshAnswer:
            session = backend.session(one.entry, expected_requests(one.entry))
            try:
                return await session(backend.asking.written(one.request, self.texts))
            except ModelError as error:
                return str(error)
            finally:
                log(step_line(next(numbers), total, f"Ask {self.job.row.name} again"))

        async def all_answers(asking: Job) -> list[FreshAnswer]:
            backend = open_backend(
                asking, (), ProgressCounts(), lambda *_: nullcontext(), log, record_making
            )
            async with backend as opened:
                return await asyncio.gather(*(answer(opened, one) for one in self.draw.requests))

        askings = [replace(self.job, trial=number) for number in ASKINGS]
        return list(zip(*(run_to_end(partial(all_answers, asking)) for asking in askings), strict=True))


def _figures(requests: Sequence[DrawnRequest]) -> EntryFigures:
    """The means that the archive has for some requests."""
    return EntryFigures(
        fmean(
            max(one.exchange.input_tokens or 0, len(json.dumps(one.body)) // CHARACTERS_PER_TOKEN)
            for one in requests
        ),
        fmean(max(one.exchange.output_tokens or 0, 0) for one in requests),
        1,
        fmean(min(max(0.0, one.exchange.latency_seconds or 0.0), _MOST_SECONDS) for one in requests),
        len(requests),
    )
