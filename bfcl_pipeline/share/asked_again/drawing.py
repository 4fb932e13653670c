"""Draws requests of an archived run by a seed, with the answers that the archive has.

A journal has the key and the answer of a request, but not the request. The conversations of the run are
therefore held again, offline, with the answers of its journals; each request that occurs can be drawn. A
line of a journal that no conversation uses cannot.
"""

import hashlib
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.generation.model import Adapter
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.ask.jobs.selection import select
from bfcl_pipeline.ask.models import build_derived
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
from bfcl_pipeline.runs.journal import (
    JournaledExchange,
    JournalsReader,
    exchange_key,
    journals_in,
)
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """One request of the archived run, with the answers that the archive has to it."""

    entry: Entry
    request: Request
    body: Json  # as the run sent it
    journaled: JournaledExchange
    exchange: Exchange  # its answer as the run read it
    trials: tuple[Exchange | None, ...] = ()  # the answers of later trials to the same body; None: none


@dataclass(frozen=True, slots=True)
class RequestDraw:
    """What was drawn of one model."""

    model: str  # the name in the archive
    requests: tuple[DrawnRequest, ...]  # in the order of the draw
    of: int  # requests that could be drawn: of the run with this model, in its first trial


def models_of(run: Run) -> dict[str, list[str]]:
    """By the names of the models behind an API: the directory names of their trials, in order."""
    trials: dict[str, list[str]] = {}
    for folder in run.recorded.remote:
        trials.setdefault(run.recorded.job_of(folder).row.name, []).append(folder)
    return {
        name: sorted(folders, key=lambda folder: run.recorded.job_of(folder).trial)
        for name, folders in trials.items()
    }


def draw(
    run: Run,
    model: str,
    folders: Sequence[str],
    count: int,
    seed: int,
    categories: Collection[str] = (),
) -> RequestDraw:
    """Draws requests of the first trial of a model.

    The order of a draw is that of the hashes of seed and key: it does not depend on files or on the number
    that is drawn, and nobody who does not know the seed knows what will be drawn.

    Args:
        run: the archived run.
        model: the model.
        folders: the directory names of its trials.
        count: how many requests to draw; fewer are drawn if the run has fewer.
        seed: decides which.
        categories: draw only requests of these; none: of all.
    """
    job = replay_job(run, folders[0])
    only = None
    if categories:
        selected = select(job.paths.data, job.categories, job.selection)
        only = [entry.entry_id for entry in selected if entry.category in categories]
    adapter = build_derived(job.row, run, folders[0])
    drawing = _Drawing(count, seed)
    capture(job, drawing.received, only, adapter)
    drawn = [drawing.drawn[key] for _, key in drawing.ranks]
    for folder in folders[1:]:
        with JournalsReader(journals_in(job.paths.journals / folder)) as journals:
            trial = run.recorded.job_of(folder).trial
            drawn = [_with_trial(one, adapter, journals, trial) for one in drawn]
    return RequestDraw(model, tuple(drawn), len(drawing.seen))


def rank(seed: int, key: str) -> str:
    """The place of a request in the order of a draw."""
    return hashlib.sha256(f"{seed} {key}".encode()).hexdigest()


@dataclass(slots=True)
class _Drawing:
    """Keeps the requests that come first in the order of the draw."""

    count: int
    seed: int
    seen: set[str] = field(default_factory=set)  # the keys of all requests
    ranks: list[tuple[str, str]] = field(default_factory=list)  # rank and key of the drawn ones, in order
    drawn: dict[str, DrawnRequest] = field(default_factory=dict)  # by key

    def received(self, one: ReplayedRequest) -> None:
        """Considers a request, unless it occurred before or has no answer."""
        if one.journaled is None or one.exchange is None or one.key in self.seen:
            return
        self.seen.add(one.key)
        insort(self.ranks, (rank(self.seed, one.key), one.key))
        self.drawn[one.key] = DrawnRequest(one.entry, one.request, one.body, one.journaled, one.exchange)
        if len(self.ranks) > self.count:
            del self.drawn[self.ranks.pop()[1]]


def _with_trial(
    drawn: DrawnRequest, adapter: Adapter, journals: JournalsReader, trial: int
) -> DrawnRequest:
    """`drawn` with the answer of another trial to the same body, if there is one."""
    key = exchange_key(adapter.identity, drawn.entry.entry_id, trial, drawn.body)
    journaled = journals.find(key)
    exchange = None if journaled is None else adapter.read(drawn.request, journaled.raw)
    return replace(drawn, trials=(*drawn.trials, exchange))
