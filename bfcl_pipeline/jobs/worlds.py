"""What the conversations of a job run in: constants, an encoder for memories, a web to search.

Covers what each mode of the web stands for and how the web tools are presented. Encoder and web are made
only for the first entry that needs them.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config import JobPaths, WebChoice
from bfcl_pipeline.config.job import SEARCH_TOOL
from bfcl_pipeline.generation import WorldConfigOf
from bfcl_pipeline.records import Entry
from bfcl_pipeline.tables import entries_path, read_entries
from bfcl_pipeline.tables.texts import read_constants
from bfcl_pipeline.tools import WorldConfig
from bfcl_pipeline.tools.memory.encoder import Encoder
from bfcl_pipeline.tools.web_search.web import Web
from bfcl_pipeline.web.faults import Faulty
from bfcl_pipeline.web.simulated import SimulatedWeb


def present_web_tools(entries: Sequence[Entry], web: WebChoice) -> list[Entry]:
    """`entries` with the web tools as `web` has them: the search tool renamed, or no tools at all."""
    return [_presented(entry, web) if _searches(entry) else entry for entry in entries]


def world_configs(paths: JobPaths, web: WebChoice, seed: int, *, offline: bool) -> WorldConfigOf:
    """What the world of each entry is made from. seed: of fetch failures. offline: fetch nothing."""
    common = WorldConfig(read_constants(paths.data))
    templates = common.constants.items("web_search", "ERROR_TEMPLATES")
    encoder = cache(lambda: _encoder(paths))
    opened = cache(lambda: _web(paths, web, offline=offline))

    def world_config(entry: Entry) -> WorldConfig:
        if CATEGORIES[entry.category].needs_encoder:
            return replace(common, encoder=encoder())
        if not _searches(entry) or web.mode == "off":
            return common
        searched = opened()
        if web.fetch_failures:
            searched = Faulty(searched, web.fetch_failures, seed, entry.entry_id, templates)
        return replace(common, web=searched, aliases={web.search_tool: SEARCH_TOOL})

    return world_config


def _searches(entry: Entry) -> bool:
    return CATEGORIES[entry.category].check is Check.WEB_SEARCH


def _presented(entry: Entry, web: WebChoice) -> Entry:
    if web.mode == "off":
        return replace(entry, functions=(), apis=())
    renamed = [
        {**doc, "name": web.search_tool} if doc["name"] == SEARCH_TOOL else doc for doc in entry.functions
    ]
    return replace(entry, functions=tuple(renamed))


def _encoder(paths: JobPaths) -> Encoder:
    from bfcl_pipeline.encoding import SentenceEncoder

    return SentenceEncoder(paths.data / "encoder", paths.encoder_cache)


def _web(paths: JobPaths, web: WebChoice, *, offline: bool) -> Web:
    if web.mode == "simulated":
        return SimulatedWeb.of(read_entries(entries_path(paths.data, "web_search_base")))
    from bfcl_pipeline.web.modes import open_web

    return open_web(web.mode, web.cache, web.search_engine, offline=offline)
