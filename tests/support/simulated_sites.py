"""The simulated web as sites: DuckDuckGo's pages of results, and the pages to which they lead.

For tests that record a web: the engine is asked over HTTP as the real one is, and finds the pages that the
annotations of the web questions name.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web
from tests.support.web_sites import Visit, answer

DUCKDUCKGO = "html.duckduckgo.com"


def duckduckgo_page(hits: Hits) -> str:
    """A page of results in DuckDuckGo's markup for browsers without JavaScript."""
    blocks = [
        '<div class="result results_links results_links_deep web-result">'
        '<div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{escape(hit.href)}">{escape(hit.title)}</a>'
        f'</h2><a class="result__snippet" href="{escape(hit.href)}">{escape(hit.body)}</a></div></div>'
        for hit in hits.hits
    ]
    if not blocks:
        blocks = [
            '<div class="result web-result result--no-result"><div class="links_main result__body">'
            '<div class="no-results">No results.</div></div></div>'
        ]
    return f'<html><body><div id="links" class="results">{"".join(blocks)}</div></body></html>'


def sites(web: Web) -> Callable[[Visit], bytes]:
    """Answers every request as the simulated web does; a page that it does not have is a 404."""

    def answering(visit: Visit) -> bytes:
        if visit.host == DUCKDUCKGO:
            found = web.search(visit.fields["q"], "wt-wt")
            assert isinstance(found, Hits)
            return answer(duckduckgo_page(found))
        page = web.fetch(visit.url)
        return answer(page.text) if isinstance(page, Page) else answer("none", "404 Not Found")

    return answering
