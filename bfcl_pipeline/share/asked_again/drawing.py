"""Draws requests of an archived run by a seed, with the answers that the archive has.

A journal has the key and the answer of a request, but not the request. The conversations of the run are
therefore held again, offline, with the answers of its journals; each request that occurs can be drawn. A
line of a journal that no conversation uses cannot.
"""

import hashlib
from bisect import insort
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
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
    trials: tuple[Exchange | None, ...]  # the answers of later trials to the same body; None: none


@dataclass(frozen=True, slots=True)
class RequestDraw:
    """What was drawn of one model."""

    model: str  # the name in the archive
    requests: tuple[DrawnRequest, ...]  # in the order of the draw
    of: int  # requests that could be drawn: of the run with this model, in its first trial


def models_of(run: Run) -> dict[str, list[str]]:
    """By the names of the models behind an API: the directory names of their trials, in order."""
    trials: dict[str, list[str]] = {}
    for folder in sorted(run.recorded.remote, key=lambda folder: run.recorded.job_of(folder).trial):
        trials.setdefault(run.recorded.job_of(folder).row.name, []).append(folder)
    return trials


def draw(
    run: Run, model: str, folders: Sequence[str], count: int, seed: int, categories: Collection[str] = ()
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
    seen: set[str] = set()
    first: list[tuple[str, ReplayedRequest]] = []  # with their ranks, by rank

    def receive(one: ReplayedRequest) -> None:
        if one.exchange is not None and one.key not in seen:
            seen.add(one.key)
            rank = hashlib.sha256(f"{seed} {one.key}".encode()).hexdigest()
            insort(first, (rank, one), key=itemgetter(0))
            del first[count:]

    capture(job, receive, only, adapter)
    with ExitStack() as stack:
        later = [
            (run.recorded.job_of(folder).trial, stack.enter_context(JournalsReader(journals_in(path))))
            for folder, path in ((folder, job.paths.journals / folder) for folder in folders[1:])
        ]

        def trial_answers(one: ReplayedRequest) -> Iterator[Exchange | None]:
            for trial, journals in later:
                key = exchange_key(adapter.identity, one.entry.entry_id, trial, one.body)
                found = journals.find(key)
                yield None if found is None else adapter.read(one.request, found.raw)

        requests = tuple(
            DrawnRequest(
                one.entry, one.request, one.body, one.journaled, one.exchange, tuple(trial_answers(one))
            )
            for _, one in first
            if one.journaled is not None and one.exchange is not None
        )
    return RequestDraw(model, requests, len(seen))
