"""What the conversations of `bfcl-pipeline generate` have around them: constants, an encoder, a web.

Covers the options that choose the web and what each mode stands for. Encoder and web are made only for
the first entry that needs them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config.web import SEARCH_ENGINES, SEARCH_TOOL, WEB_MODES

if TYPE_CHECKING:
    from bfcl_pipeline.generation import SettingOf
    from bfcl_pipeline.records import Entry
    from bfcl_pipeline.tools.encoder import Encoder
    from bfcl_pipeline.tools.web import Web


def add_web(parser: argparse.ArgumentParser) -> None:
    """Declares the options of web search."""
    parser.add_argument(
        "--web",
        choices=WEB_MODES,
        default=WEB_MODES[0],
        help=f"which web is searched: {', '.join(WEB_MODES)} (default: {WEB_MODES[0]})",
    )
    parser.add_argument(
        "--web-record",
        type=Path,
        default=Path("cache/web"),
        metavar="DIR",
        help="where web outcomes are recorded and replayed from (default: cache/web)",
    )
    parser.add_argument(
        "--fetch-failures",
        type=float,
        default=0.0,
        metavar="P",
        help="share of fetches that fail, drawn from --seed, entry, URL and attempt (default: 0)",
    )
    parser.add_argument(
        "--search-tool",
        default=SEARCH_TOOL,
        metavar="NAME",
        help=f"the name under which the search tool is presented (default: {SEARCH_TOOL})",
    )
    parser.add_argument(
        "--search-engine",
        choices=SEARCH_ENGINES,
        default=SEARCH_ENGINES[0],
        help="who is asked in the modes record and live; serpapi wants a key in SERPAPI_API_KEY",
    )


def presented(entries: Sequence[Entry], args: argparse.Namespace) -> list[Entry]:
    """`entries` as the options have the web tools presented: under another name, or not at all."""
    return [_presented(entry, args) if _searches(entry) else entry for entry in entries]


def settings(args: argparse.Namespace) -> SettingOf:
    """What each entry's world is made from."""
    from bfcl_pipeline.tables.texts import read_constants
    from bfcl_pipeline.tools import Setting

    common = Setting(read_constants(args.data))
    templates = common.constants.items("web_search", "ERROR_TEMPLATES")
    encoder = cache(lambda: _encoder(args))
    web = cache(lambda: _web(args))

    def setting(entry: Entry) -> Setting:
        if entry.category == "memory_vector":
            return replace(common, encoder=encoder())
        if not _searches(entry) or args.web == "off":
            return common
        searched = web()
        if args.fetch_failures:
            from bfcl_pipeline.web.faults import Faulty

            searched = Faulty(searched, args.fetch_failures, args.seed, entry.entry_id, templates)
        return replace(common, web=searched, aliases={args.search_tool: SEARCH_TOOL})

    return setting


def _searches(entry: Entry) -> bool:
    return CATEGORIES[entry.category].check is Check.WEB_SEARCH


def _presented(entry: Entry, args: argparse.Namespace) -> Entry:
    if args.web == "off":
        return replace(entry, functions=(), apis=())
    return replace(entry, functions=tuple(_renamed(entry, args.search_tool)))


def _renamed(entry: Entry, name: str):  # type: ignore[no-untyped-def]  # docs are plain mappings
    for doc in entry.functions:
        yield {**doc, "name": name} if doc["name"] == SEARCH_TOOL else doc


def _encoder(args: argparse.Namespace) -> Encoder:
    from bfcl_pipeline.encoding import SentenceEncoder

    return SentenceEncoder(args.data / "encoder", Path("cache/encoder"))


def _web(args: argparse.Namespace) -> Web:
    if args.web == "simulated":
        from bfcl_pipeline.tables import entries_path, read_entries
        from bfcl_pipeline.web.simulated import SimulatedWeb

        return SimulatedWeb.of(read_entries(entries_path(args.data, "web_search_base")))
    from bfcl_pipeline.web.modes import open_web

    return open_web(args.web, args.web_record, args.search_engine, offline=args.replay)
