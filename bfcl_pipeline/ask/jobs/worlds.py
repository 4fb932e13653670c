"""The conversations of a job: its entries, and what they run in: constants, an encoder, a web to search.

Covers what each mode of the web stands for. Encoder and web are made only for the first entry that needs
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from bfcl_pipeline.ask.generation import Completed, Executing, FailureOf, Origin, WorldConfigOf, run_entries
from bfcl_pipeline.ask.generation.backends import Backend
from bfcl_pipeline.ask.generation.counts import ProgressCounts, WebCounts
from bfcl_pipeline.ask.jobs.observed import ObservedFailures
from bfcl_pipeline.ask.jobs.selection import select
from bfcl_pipeline.benchmark.config import Job, JobPaths, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.release_texts import read_constants, read_texts
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.encoding import SentenceEncoder
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.memory.encoder import Encoder
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.world.web.modes import open_web
from bfcl_pipeline.world.web.presented import present_entry, searches, with_web
from bfcl_pipeline.world.web.simulated import SimulatedWeb


@dataclass(frozen=True, slots=True)
class CountedWeb:
    """The web of one question, whose answered searches and fetches are counted."""

    web: Web
    entry_id: str
    counts: WebCounts

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError."""
        found = self.web.search(keywords, region)
        self.counts.searched(self.entry_id)
        return found

    def fetch(self, url: str) -> Page | WebFailure:
        """The page. Raises WebError."""
        page = self.web.fetch(url)
        self.counts.fetched()
        return page


def world_configs(
    paths: JobPaths, web: WebChoice, seed: int, *, offline: bool, counts: WebCounts | None = None
) -> WorldConfigOf:
    """What the world of each entry is made from.

    seed: of fetch failures. offline: fetch nothing. counts: of the searches, if they are counted.
    """
    common = WorldConfig(read_constants(paths.data))
    encoder = cache(lambda: _encoder(paths))
    opened = cache(lambda: _web(paths, web, offline=offline))

    def world_config(entry: Entry) -> WorldConfig:
        if CATEGORIES[entry.category].needs_encoder:
            return replace(common, encoder=encoder())
        if not searches(entry) or web.mode == "off":
            return common
        own = opened() if counts is None else CountedWeb(opened(), entry.entry_id, counts)
        return with_web(common, entry, own, web, seed)

    return world_config


@dataclass(frozen=True, slots=True)
class JobConversations:
    """The conversations of a job that is asked or replayed."""

    entries: list[Entry]
    texts: Texts  # of the release
    worlds: WorldConfigOf
    origin: Origin
    observed: ObservedFailures  # of the run that is replayed

    async def run(
        self,
        backend: Backend,
        counts: ProgressCounts | None = None,
        failure: FailureOf | None = None,
        with_calls: Executing | None = None,
    ) -> list[Completed]:
        """Carries them out. Arguments and result as of `run_entries`; failure: None: as observed."""
        failure = failure or self.observed.failure_of
        return await run_entries(
            self.entries, backend, self.texts, self.worlds, self.origin, counts, failure, with_calls
        )


def prepare(
    job: Job, entries: Sequence[Entry] | None = None, counts: WebCounts | None = None
) -> JobConversations:
    """The conversations of `job`.

    Args:
        job: to ask, or to replay.
        entries: of the job; None: all of them.
        counts: of the searches, if they are counted.

    Raises ConfigError or TableError if the release is not staged or lacks an entry of the job.
    """
    chosen = select(job.paths.data, job.categories, job.selection) if entries is None else entries
    return JobConversations(
        [present_entry(entry, job.web) for entry in chosen],
        read_texts(job.paths.data),
        world_configs(job.paths, job.web, job.selection.seed, offline=job.replay, counts=counts),
        Origin(job.name, job.run, job.web.mode, job.row.owner),
        ObservedFailures(observed_run(job), job.folder, job.categories),
    )


def observed_run(job: Job) -> Run | None:
    """The run that a replay derives again; None if none is given."""
    return None if job.paths.observed is None else Run(job.paths.observed)


def _encoder(paths: JobPaths) -> Encoder:
    return SentenceEncoder(paths.data / "encoder", paths.encoder_cache)


def _web(paths: JobPaths, web: WebChoice, *, offline: bool) -> Web:
    if web.mode == "simulated":
        return SimulatedWeb.of(read_entries(entries_path(paths.data, "web_search_base")))
    return open_web(web.mode, web.cache, web.engine, offline=offline, proxy=web.proxy, pause=web.pause)
