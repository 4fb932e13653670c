"""Which webs there are for the web-search categories, and what the search tool is called."""

from __future__ import annotations

from dataclasses import dataclass

WEB_MODES = ("simulated", "record", "replay", "live", "off")
"""simulated: a small deterministic web, no network, not comparable with the leaderboard; record: the web
itself, outcomes kept; replay: kept outcomes only; live: the web itself, nothing kept; off: no web tools."""

NETWORK_MODES = ("record", "live")
"""Those in which searches and pages take the time that the network takes."""

SEARCH_TOOL = "search_engine_query"
"""What the release calls the search tool; its post on web search calls it duckduckgo_search."""

SEARCH_ENGINES = ("duckduckgo", "serpapi")
"""duckduckgo: its own page, no key; serpapi: a paid service for it, with the key in SERPAPI_API_KEY."""


@dataclass(frozen=True, slots=True)
class WebChoice:
    """The web of a run."""

    mode: str = WEB_MODES[0]
    fetch_failures: float = 0.0  # share of fetches that are made to fail
    search_tool: str = SEARCH_TOOL  # the name under which the search tool is presented
    search_engine: str = SEARCH_ENGINES[0]  # who is asked where the web itself is

    @property
    def options(self) -> tuple[str, ...]:
        """The choice as options of `bfcl-pipeline generate`."""
        failures = ("--fetch-failures", f"{self.fetch_failures:g}") if self.fetch_failures else ()
        name = () if self.search_tool == SEARCH_TOOL else ("--search-tool", self.search_tool)
        first = self.search_engine == SEARCH_ENGINES[0]
        engine = () if first else ("--search-engine", self.search_engine)
        return ("--web", self.mode, *failures, *name, *engine)
