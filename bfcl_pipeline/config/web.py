"""Which webs there are for the web-search categories, and what the search tool is called."""

from __future__ import annotations

WEB_MODES = ("simulated", "record", "replay", "live", "off")
"""simulated: a small deterministic web, no network, not comparable with the leaderboard; record: the web
itself, outcomes kept; replay: kept outcomes only; live: the web itself, nothing kept; off: no web tools."""

SEARCH_TOOL = "search_engine_query"
"""What the release calls the search tool; its post on web search calls it duckduckgo_search."""
