"""The simulated web-search API: searches and page fetches over the web of a run."""

from bfcl_pipeline.world.tools.web_search.api import WebSearchAPI

__all__ = ["WebSearchAPI"]
