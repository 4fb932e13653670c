"""A search with one engine of the package ddgs.

Covers asking page by page, and what an answer without results means: a page that itself says so is "no
results", a page that is cut short is an Outage, a captcha is SearchRateLimited, any other is UnknownAnswer.
ddgs is pinned, so that a cassette is read as it was when it was recorded.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import ddgs

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.adapted import ENGINES, AdaptedEngine
from bfcl_pipeline.world.web.engines.client import Connection, EngineClient
from bfcl_pipeline.world.web.engines.facts import FACTS
from bfcl_pipeline.world.web.engines.requested import NOT_RETRIEVED, UnknownAnswer, encodable
from bfcl_pipeline.world.web.engines.retries import RetryPolicy
from bfcl_pipeline.world.web.evidence.playing import NotOnCassette

DDGS_VERSION = ddgs.__version__

WANTED = 30
"""Results of one search; the release's tool shows at most as many."""

DEFAULT_REGION = "us-en"
"""Of engines other than DuckDuckGo, for a region that is none (`wt-wt`) or not of the form `us-en`."""

_REGION = re.compile(r"[a-z]{2}-[a-z]{2,3}")

# Commands (`!w ducks`, `w! ducks`, `\ducks`) that redirect a browser to another site. In a model's query
# they are meant as words.
_COMMANDS = re.compile(r"(?<!\S)[!\\]+|(?<=\S)!+(?!\S)")


@dataclass(frozen=True, slots=True)
class DdgsEngine:
    """A search engine."""

    name: str = "duckduckgo"  # one of facts.FACTS
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    connection: Connection = field(default_factory=Connection)
    most_pages: int = 10  # of one search; facts.FACTS may have fewer

    @property
    def switched_off(self) -> bool:
        """Whether ddgs itself does not use the engine, because the site refuses its requests at present."""
        return ENGINES[self.name].disabled

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results, best first. region: as DuckDuckGo names it; unknown ones are ignored.

        A query that the engine would not accept (empty, too long) is a WebFailure, without a request.

        Raises:
            WebError: no answer after all retries.
            UnknownAnswer: the page cannot be read.
        """
        facts = FACTS[self.name]
        query = " ".join(_COMMANDS.sub("", encodable(keywords)).split())
        if not query or len(query) > facts.longest_query:
            return WebFailure(NOT_RETRIEVED)
        client = EngineClient(self.name, facts, self.connection, self.retries)
        engine = ENGINES[self.name](client, facts)
        results: dict[str, Hit] = {}  # by address: pages overlap
        for number in range(1, min(facts.pages, self.most_pages) + 1):
            page = self._page(engine, query, self._region(region), number)
            new = {hit.href: hit for hit in page if hit.href not in results}
            results |= new
            if not new or engine.ended or len(results) >= WANTED:
                break
        return Hits(tuple(results.values())[:WANTED])

    def _page(self, engine: AdaptedEngine, query: str, region: str, number: int) -> tuple[Hit, ...]:
        """The results on a page; only a later one may be without them and without the site's mark."""
        try:
            results: list[Any] = engine.search(query, region, page=number) or []
            hits = tuple(Hit(_line(found.title), _text(found.href), _line(found.body)) for found in results)
        except (PipelineError, NotOnCassette):
            raise
        except Exception as error:  # noqa: BLE001 (of ddgs and its parser, over whatever a site sent)
            failure = f"a page that ddgs cannot read ({type(error).__name__})"
        else:
            if hits or number > 1 or engine.nothing:
                return hits
            failure = "a page with neither results nor a known mark that there are none"
        raise self._unknown(failure)

    def _region(self, region: str) -> str:
        """The region that the engine is given; the model's own text must not become part of a host."""
        if FACTS[self.name].any_region:
            return encodable(region)
        return region if _REGION.fullmatch(region) and region != "wt-wt" else DEFAULT_REGION

    def _unknown(self, received: str) -> UnknownAnswer:
        return UnknownAnswer(
            f"{self.name} answered with {received}; expected a page of results as ddgs {DDGS_VERSION} "
            "reads it. If its markup has changed, a version of bfcl-pipeline with a newer ddgs is needed; "
            "until then use another search engine."
        )


def _line(text: object) -> str:
    """The text in one line."""
    return " ".join(_text(text).split())


def _text(text: object) -> str:
    """The text. Raises TypeError if it is none."""
    if not isinstance(text, str):
        raise TypeError("a title, address or snippet that is not text")
    return text
