"""What the conversations of a job run in: constants, an encoder for memories, a web to search.

Covers what each mode of the web stands for. Encoder and web are made only for the first entry that needs
them.
"""

from dataclasses import dataclass, replace
from functools import cache

from bfcl_pipeline.ask.generation import WorldConfigOf
from bfcl_pipeline.ask.generation.web_counts import WebCounts
from bfcl_pipeline.benchmark.config import JobPaths, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.memory.encoder import Encoder
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.world.web.presented import searches, with_web
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


def _encoder(paths: JobPaths) -> Encoder:
    from bfcl_pipeline.world.encoding import SentenceEncoder

    return SentenceEncoder(paths.data / "encoder", paths.encoder_cache)


def _web(paths: JobPaths, web: WebChoice, *, offline: bool) -> Web:
    if web.mode == "simulated":
        return SimulatedWeb.of(read_entries(entries_path(paths.data, "web_search_base")))
    from bfcl_pipeline.world.web.modes import open_web

    return open_web(web.mode, web.cache, web.engine, offline=offline, proxy=web.proxy, pause=web.pause)
