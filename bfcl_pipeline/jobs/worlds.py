"""What the conversations of a job run in: constants, an encoder for memories, a web to search.

Covers what each mode of the web stands for. Encoder and web are made only for the first entry that needs
them.
"""

from dataclasses import replace
from functools import cache

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import JobPaths, WebChoice
from bfcl_pipeline.generation import WorldConfigOf
from bfcl_pipeline.records import Entry
from bfcl_pipeline.tables import entries_path, read_entries
from bfcl_pipeline.tables.texts import read_constants
from bfcl_pipeline.tools import WorldConfig
from bfcl_pipeline.tools.memory.encoder import Encoder
from bfcl_pipeline.tools.web_search.web import Web
from bfcl_pipeline.web.presented import searches, with_web
from bfcl_pipeline.web.simulated import SimulatedWeb


def world_configs(paths: JobPaths, web: WebChoice, seed: int, *, offline: bool) -> WorldConfigOf:
    """What the world of each entry is made from. seed: of fetch failures. offline: fetch nothing."""
    common = WorldConfig(read_constants(paths.data))
    encoder = cache(lambda: _encoder(paths))
    opened = cache(lambda: _web(paths, web, offline=offline))

    def world_config(entry: Entry) -> WorldConfig:
        if CATEGORIES[entry.category].needs_encoder:
            return replace(common, encoder=encoder())
        if not searches(entry) or web.mode == "off":
            return common
        return with_web(common, entry, opened(), web, seed)

    return world_config


def _encoder(paths: JobPaths) -> Encoder:
    from bfcl_pipeline.encoding import SentenceEncoder

    return SentenceEncoder(paths.data / "encoder", paths.encoder_cache)


def _web(paths: JobPaths, web: WebChoice, *, offline: bool) -> Web:
    if web.mode == "simulated":
        return SimulatedWeb.of(read_entries(entries_path(paths.data, "web_search_base")))
    from bfcl_pipeline.web.modes import open_web

    return open_web(
        web.mode, web.cache, web.search_engine, offline=offline, proxy=web.proxy, pause=web.pause
    )
