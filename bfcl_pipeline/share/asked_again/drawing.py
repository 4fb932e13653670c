"""Draws requests of an archived run by a seed, with the answers that the archive has.

A journal has the key and the answer of a request, but not the request. The conversations of the run are
therefore held again, offline, with the answers of its journals; each request that occurs can be drawn. A
line of a journal that no conversation uses cannot.
"""

import hashlib
from bisect import insort
from dataclasses import dataclass
from operator import itemgetter

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
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
