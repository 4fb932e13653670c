"""The simulated web as sites: DuckDuckGo's pages of results, and the pages to which they lead.

For tests that record a web: the engine is asked over HTTP as the real one is, and finds the pages that the
annotations of the web questions name.
"""

from __future__ import annotations

from collections.abc import Callable

from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web
from tests.support.search_pages import duckduckgo_page
from tests.support.web_server import Asked, http

DUCKDUCKGO = "html.duckduckgo.com"


def sites(web: Web) -> Callable[[Asked], bytes]:
    """Answers every request as the simulated web does; a page that it does not have is a 404."""

    def answering(asked: Asked) -> bytes:
        if asked.host == DUCKDUCKGO:
            found = web.search(asked.fields["q"], "wt-wt")
            assert isinstance(found, Hits)
            return http(duckduckgo_page(found), kind="text/html; charset=utf-8")
        page = web.fetch(asked.url)
        if isinstance(page, Page):
            return http(page.text, kind="text/html; charset=utf-8")
        return http("none", "404 Not Found")

    return answering
