"""WebSearchAPI: a search engine, and the pages that it finds.

Covers how a model is told what a web answers; the web itself comes in as `setting.web`. Source: the
function docs and the behaviour of the release's web_search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.errors import PipelineError, WebError
from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, reads
from bfcl_pipeline.tools.limits import BoundExceeded, CallFailed
from bfcl_pipeline.tools.state import fill
from bfcl_pipeline.tools.web import Failure, Hit, Web

MAX_ASKED = 20_000
"""Characters of what a web is asked: keywords, a region, a URL."""

NOTHING_FOUND = "Failed to retrieve the search results from server. Please try again later."
"""What a model is told of a search without results."""

_NO_REGION = "wt-wt"


@dataclass(slots=True)
class WebSearchState:
    """How results are shown."""

    show_snippet: bool  # whether each has a snippet


class WebSearchAPI:
    """The web as a model meets it."""

    def __init__(
        self, state: WebSearchState, web: Web | None, page_text: Callable[[str, str], str]
    ) -> None:
        self.state = state
        self._given = web
        self._page_text = page_text

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The web tools that an entry starts with; with snippets where it says nothing."""
        from bfcl_pipeline.tools.page_text import (
            page_text,
        )  # loads parsers: here, so that one missing is told

        return cls(fill(WebSearchState, initial, {"show_snippet": True}), setting.web, page_text)

    @reads
    def search_engine_query(
        self, keywords: str, max_results: int | None = 10, region: str | None = _NO_REGION
    ) -> list[dict[str, str]] | dict[str, str]:
        """The first results of a search. Raises WebError if the web cannot be asked."""
        asked = "" if keywords is None else str(keywords)
        where = _NO_REGION if region is None else str(region)
        _bounded(asked, where)
        if not asked.strip():  # the engine has nothing to look for
            return {"error": NOTHING_FOUND}
        found = self._web.search(asked, where)
        if isinstance(found, Failure):
            return {"error": found.message}
        if not found.hits:
            return {"error": NOTHING_FOUND}
        return [self._shown(hit) for hit in found.hits[:max_results]]

    @reads
    def fetch_url_content(self, url: str, mode: str = "raw") -> dict[str, str]:
        """The page at `url`: as it came, as Markdown or as bare text. Raises WebError likewise."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"Invalid URL: {url}")
        _bounded(url)
        try:
            outcome = self._web.fetch(url)
            if not isinstance(outcome, Failure):
                return {"content": self._page_text(outcome.text, mode)}
            problem = outcome.message
        except (PipelineError, CallFailed):
            raise
        except Exception as error:  # noqa: BLE001  # whatever a page or a mode brings about is a text
            problem = str(error)
        return {"error": f"An error occurred while fetching {url}: {problem}"}

    @property
    def _web(self) -> Web:
        if self._given is None:
            raise WebError(
                "web tools: expected a web to ask, got none. "
                "Set `web` in the configuration to a mode other than `off`."
            )
        return self._given

    def _shown(self, hit: Hit) -> dict[str, str]:
        snippet = {"body": hit.body} if self.state.show_snippet else {}
        return {"title": hit.title, "href": hit.href, **snippet}


def _bounded(*asked: Any) -> None:
    for text in asked:
        if len(text) > MAX_ASKED:
            raise BoundExceeded(f"the web is asked for no more than {MAX_ASKED:,} characters")
