"""How a run presents its web to a conversation: the tools that are offered, and the world behind them.

Covers the name of the search tool, a web without tools, and injected failures. `jobs` presents a web that
answers; `playback` presents the recorded one.
"""

from dataclasses import replace

from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Web
from bfcl_pipeline.world.web.faults import Faulty


def searches(entry: Entry) -> bool:
    """Whether the entry is of a web category."""
    return CATEGORIES[entry.category].check is Check.WEB_SEARCH


def present_entry(entry: Entry, web: WebChoice) -> Entry:
    """`entry` with the web tools as `web` has them: the search tool renamed, or no tools at all."""
    if not searches(entry):
        return entry
    if web.mode == "off":
        return replace(entry, functions=(), apis=())
    renamed = [
        {**doc, "name": web.search_tool} if doc["name"] == SEARCH_TOOL else doc for doc in entry.functions
    ]
    return replace(entry, functions=tuple(renamed))


def with_web(config: WorldConfig, entry: Entry, web: Web, choice: WebChoice, seed: int) -> WorldConfig:
    """`config` with `web` as the conversation over `entry` reaches it. seed: of injected failures."""
    if choice.fetch_failures:
        templates = config.constants.items("web_search", "ERROR_TEMPLATES")
        web = Faulty(web, choice.fetch_failures, seed, entry.entry_id, templates)
    return replace(config, web=web, aliases={choice.search_tool: SEARCH_TOOL})
