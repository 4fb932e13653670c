"""Draws requests of an archived run by a seed, with the answers that the archive has.

A journal has the key and the answer of a request, but not the request. The conversations of the run are
therefore held again, offline, with the answers of its journals; each request that occurs can be drawn. A
line of a journal that no conversation uses cannot.
"""

import hashlib
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from bfcl_pipeline.archive.findings import UnpackedRun
from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.config import Job, JobPaths, Shard
from bfcl_pipeline.errors import NotJournaled
from bfcl_pipeline.generation import Asking, Origin, run_entries
from bfcl_pipeline.generation.backends import Session
from bfcl_pipeline.generation.journal import (
    JournaledExchange,
    JournalsReader,
    exchange_key,
    journals_in,
)
from bfcl_pipeline.generation.model import Adapter
from bfcl_pipeline.jobs.run import finished
from bfcl_pipeline.jobs.selection import select
from bfcl_pipeline.jobs.worlds import world_configs
from bfcl_pipeline.models import build_adapter
from bfcl_pipeline.records import Entry, Exchange, Json, Request
from bfcl_pipeline.tables.texts import read_texts
from bfcl_pipeline.web.presented import presented


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
class Draw:
    """What was drawn of one model."""

    model: str  # the name in the archive
    requests: tuple[DrawnRequest, ...]  # in the order of the draw
    of: int  # requests that could be drawn: of the run with this model, in its first trial


def models_of(recorded: RecordedRun) -> dict[str, list[str]]:
    """By the names of the models behind an API: the directory names of their trials, in order."""
    trials: dict[str, list[str]] = {}
    for folder in recorded.remote():
        trials.setdefault(recorded.row(folder).name, []).append(folder)
    return {name: sorted(folders, key=recorded.trial) for name, folders in trials.items()}


def draw(
    run: UnpackedRun,
    model: str,
    folders: Sequence[str],
    count: int,
    seed: int,
    categories: Collection[str] = (),
) -> Draw:
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
    job = _job(run, folders[0])
    adapter = build_adapter(job.row, offline=True)
    with JournalsReader(journals_in(job.paths.journals / job.folder)) as journals:
        backend = _DrawingBackend(adapter, journals, job.trial, count, seed)
        finished(lambda: _converse(job, categories or job.categories, backend))
    drawn = [backend.drawn[key] for _, key in backend.ranks]
    for folder in folders[1:]:
        with JournalsReader(journals_in(job.paths.journals / folder)) as journals:
            trial = run.recorded.trial(folder)
            drawn = [_with_trial(one, adapter, journals, trial) for one in drawn]
    return Draw(model, tuple(drawn), len(backend.seen))


def rank(seed: int, key: str) -> str:
    """The place of a request in the order of a draw."""
    return hashlib.sha256(f"{seed} {key}".encode()).hexdigest()


def _job(run: UnpackedRun, folder: str) -> Job:
    """The job of a model of the run, with the files of the archive."""
    job = run.recorded.run.jobs_of(folder)[0]
    paths = JobPaths(data=run.data, journals=run.cache / "exchanges", encoder_cache=run.cache / "encoder")
    web = replace(job.web, cache=run.cache / "web", search_engine=job.search_engine)
    return replace(job, paths=paths, web=web, selection=replace(job.selection, shard=Shard()))


async def _converse(job: Job, categories: Collection[str], backend: "_DrawingBackend") -> None:
    """Holds the conversations of the job in some of its categories with the answers of its journals."""
    selected = select(job.paths.data, job.categories, job.selection)
    entries = [presented(entry, job.web) for entry in selected if entry.category in categories]
    worlds = world_configs(job.paths, job.web, job.selection.seed, offline=True)
    origin = Origin(job.name, job.run, job.web.mode, job.row.owner)
    await run_entries(entries, backend, read_texts(job.paths.data), worlds, origin)


@dataclass(slots=True)
class _DrawingBackend:
    """Answers from journals, and keeps the requests that come first in the order of the draw. A Backend."""

    adapter: Adapter
    journals: JournalsReader
    trial: int
    count: int
    seed: int
    seen: set[str] = field(default_factory=set)  # the keys of all requests
    ranks: list[tuple[str, str]] = field(default_factory=list)  # rank and key of the drawn ones, in order
    drawn: dict[str, DrawnRequest] = field(default_factory=dict)  # by key
    open_at_once: int = 1

    @property
    def asking(self) -> Asking:
        """What requests to the model have."""
        return self.adapter.asking

    def session(self, entry: Entry, chain: int) -> Session:  # noqa: ARG002  # there is no queue
        """What answers the requests of `entry`. It raises NotJournaled if no journal has the answer."""

        async def answer(request: Request) -> Exchange:
            body = self.adapter.body(request)
            key = exchange_key(self.adapter.identity, entry.entry_id, self.trial, body)
            journaled = self.journals.find(key)
            if journaled is None:
                raise NotJournaled(f"no journal has an answer to a request of turn {request.turn + 1}.")
            exchange = self.adapter.read(request, journaled.raw)
            if key not in self.seen:
                self.seen.add(key)
                self._draw(key, DrawnRequest(entry, request, body, journaled, exchange))
            return exchange

        return answer

    def web_stopped(self, reason: str) -> None:
        """Does nothing: nothing is sent."""

    def _draw(self, key: str, request: DrawnRequest) -> None:
        insort(self.ranks, (rank(self.seed, key), key))
        self.drawn[key] = request
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
