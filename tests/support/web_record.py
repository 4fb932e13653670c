"""Web records for tests: cassettes that prove given outcomes, and sites in the place of the network."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.playing import NotOnCassette, playing
from bfcl_pipeline.world.web.evidence.tape import HttpExchange
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.recording import Recorder

CLIENT = f"requests of bfcl-pipeline {__version__}"
AT_ONCE = RetryPolicy(sleep=lambda _: None, jitter=float)
"""Retries without waits."""

SERPAPI = "https://serpapi.com/"


@dataclass
class ScriptedSites:
    """Sites that answer within `playing`, each address with the next of its answers."""

    answers: list[tuple[str, HttpExchange]] = field(default_factory=list)  # by the start of an address

    def script(self, start: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Adds an answer for addresses that start so."""
        content = body.encode() if isinstance(body, str) else body
        named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        answer = HttpExchange("GET", start, (), None, status, "OK", named, bytearray(content))
        self.answers.append((start, answer))

    def answer(self, method: str, url: str, _body: bytes | None) -> HttpExchange:
        """The next answer for an address."""
        for number, (start, answer) in enumerate(self.answers):
            if url.startswith(start):
                del self.answers[number]
                return answer
        raise NotOnCassette(f"{method} {url}")

    def left(self) -> int:
        """How many answers were not asked for."""
        return len(self.answers)


def disorder(cache: WebCache) -> tuple[int, int, int]:
    """How many files of a record are damaged, missing, and named by no outcome; plays no cassette."""
    damaged = missing = 0
    cassettes = set()
    for path in cache.paths():
        try:
            recorded = cache.read(path)
            if recorded is not None and recorded.cassette is not None:
                cassettes.add(recorded.cassette)
                cache.read_cassette(recorded)
        except FileNotFoundError:
            missing += 1
        except WebError:
            damaged += 1
    return damaged, missing, len([*cache.unused(cassettes)])


def serpapi_answer(*hits: Hit) -> str:
    """What SerpApi sends for a search with these results."""
    results = [{"title": hit.title, "link": hit.href, "snippet": hit.body} for hit in hits]
    return json.dumps({"search_metadata": {"status": "Success"}, "organic_results": results})


def record_outcome(cache: WebCache, key: Key, outcome: Outcome, at: datetime) -> None:
    """Records results as SerpApi would have sent them, or a page, with its cassette."""
    sites = ScriptedSites()
    recorder = Recorder(cache, secrets=["key-of-serpapi"], now=lambda: at)
    match key, outcome:
        case SearchKey(keywords, region), Hits(hits):
            sites.script(SERPAPI, serpapi_answer(*hits))
            serpapi = SerpApi("key-of-serpapi", retries=AT_ONCE)
            with playing(sites):
                recorder.outcome(key, engine_text("serpapi"), lambda: serpapi.search(keywords, region))
        case FetchKey(url), Page(text):
            sites.script(url, text, Content_Type="text/html; charset=utf-8")
            with playing(sites):
                recorder.outcome(key, CLIENT, lambda: Fetcher().fetch(url))
        case _:
            raise AssertionError(f"no cassette is made for {key}: {outcome}")
    assert cache.find(key) == outcome
