"""WebSearchAPI: a search engine and page fetches.

Converts the outcomes of the web, which is passed in as `config.web`, to results for the model. Source: the
function docs and the behaviour of the release's web_search.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.base.errors import PipelineError, WebError
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, CallFailed, WorldConfig, reads, refuse_call
from bfcl_pipeline.world.tools.state import fill
from bfcl_pipeline.world.tools.web_search.web import Hit, Web, WebFailure

MAX_ASKED = 20_000
"""Characters of a request to the web: keywords, a region, a URL."""

NOTHING_FOUND = "Failed to retrieve the search results from server. Please try again later."
"""The error that the model sees for a search without results."""

_NO_REGION = "wt-wt"


@dataclass(slots=True)
class WebSearchState:
    """The state that the checker compares."""

    show_snippet: bool  # whether each search result has a snippet


class WebSearchAPI:
    """The web tools."""

    def __init__(
        self, state: WebSearchState, web: Web | None, page_text: Callable[[str, str], str]
    ) -> None:
        self.state = state
        self._web_or_none = web
        self._page_text = page_text

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial web tools of an entry; by default with snippets."""
        # Imported here: it loads HTML parsers. A missing one fails at the start, not in a call.
        from bfcl_pipeline.world.tools.web_search.page_text import page_text

        state = fill(WebSearchState, initial, {"show_snippet": True})
        return cls(state, config.web, config.page_text or page_text)

    @reads
    def search_engine_query(
        self, keywords: str, max_results: int | None = 10, region: str | None = _NO_REGION
    ) -> list[dict[str, str]] | dict[str, str]:
        """The first results of a search. Raises WebError if the search fails for good."""
        query = "" if keywords is None else str(keywords)
        place = _NO_REGION if region is None else str(region)
        _check_bounds(query, place)
        if not query.strip():  # the engine has nothing to search for
            return refuse_call(NOTHING_FOUND)
        outcome = self._web.search(query, place)
        if isinstance(outcome, WebFailure):
            return refuse_call(outcome.message)
        if not outcome.hits:
            return refuse_call(NOTHING_FOUND)
        return [self._shown(hit) for hit in outcome.hits[:max_results]]

    @reads
    def fetch_url_content(self, url: str, mode: str = "raw") -> dict[str, str]:
        """The page at `url`: unchanged, as Markdown or as plain text. Raises WebError as a search does."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"Invalid URL: {url}")
        _check_bounds(url)
        try:
            outcome = self._web.fetch(url)
            if not isinstance(outcome, WebFailure):
                return {"content": self._page_text(outcome.text, mode)}
            if outcome.injected:
                return refuse_call(outcome.message)
            problem = outcome.message
        except (PipelineError, CallFailed):
            raise
        except Exception as error:  # noqa: BLE001  # any error of a page or a mode is a text for the model
            problem = str(error)
        return refuse_call(f"An error occurred while fetching {url}: {problem}")

    @property
    def _web(self) -> Web:
        if self._web_or_none is None:
            raise WebError(  # stored as a status_detail, so the words must not change
                "web tools: expected a web to ask, got none. "
                "Set `web` in the configuration to a mode other than `off`."
            )
        return self._web_or_none

    def _shown(self, hit: Hit) -> dict[str, str]:
        snippet = {"body": hit.body} if self.state.show_snippet else {}
        return {"title": hit.title, "href": hit.href, **snippet}


def _check_bounds(*texts: Any) -> None:
    for text in texts:
        if len(text) > MAX_ASKED:
            raise BoundExceeded(f"the web is asked for no more than {MAX_ASKED:,} characters")
