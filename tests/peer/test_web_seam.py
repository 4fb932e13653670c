"""The web seam: what a model sees of a search and of a page is the official tool's text.

Covers outcomes that both sides are given, and the same answers of a server on this machine: ours through
the search engine or the fetcher, recorded and replayed; the official side's through its own clients. What
is read from pages of other engines is given to the official side as results of the service.

Not compared: a search without results that has an empty list (the service leaves the list out), an HTTP 429
of the service (the official tool waits forever), and pages for which the fetcher differs on purpose (its
docstring has them: brotli, content that is not text, charsets without a header, byte order marks, bounds).
"""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.keys import SearchKey
from bfcl_pipeline.world.web.modes import LiveWeb
from bfcl_pipeline.world.web.recording import RecordingWeb, ReplayingWeb
from tests.peer.comparison import Comparison, apart
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Row, Seam
from tests.peer.web_scenes import STATUSES, Asked, fetches, hits, html, searches
from tests.support.search_pages import duckduckgo_page
from tests.support.web_server import WebServer, http, moved, web_server

SEARCHES, FETCHES = 6_000, 6_000
SERVED = 600
BY_ENGINE = 100
AT_ONCE = 20
REFERENCE = "web_reference"
"""Calls of one conversation."""

INVALID = ("http://127.0.0.1:1/x", "http:///x", "http://a..b/", "http://[::1/", "{base}/none")
"""Addresses without a page."""

_ADDRESS = re.compile(r"(?<= object at )0x[0-9a-f]+")  # of an object: another in each process


def _without_addresses(answer: Row) -> Row:
    return {"results": [_ADDRESS.sub("0x0", text) for text in answer["results"]]}


@dataclass
class Conversation:
    """Calls of one conversation, with our results."""

    number: int
    calls: list[dict[str, Any]]  # as the official side reads them
    results: list[str] = field(default_factory=list)

    @property
    def show_snippet(self) -> bool:
        return self.number % 2 == 0

    def hold(self, web: Web, calls: Sequence[Call], constants: Constants) -> None:
        """Runs the calls over our web."""
        state = {"WebSearchAPI": {"show_snippet": self.show_snippet}}
        world = World.of(["WebSearchAPI"], state, WorldConfig(constants, web=web), "seam")
        self.results += [world.run(call) for call in calls]

    def row(self) -> dict[str, Any]:
        """The question to the official side."""
        return {"number": self.number, "show_snippet": self.show_snippet, "calls": self.calls}


class Given:
    """A web that returns the outcome of each call."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._outcomes = {_argument(one.call): one.outcome for one in asked}

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The outcome for these keywords."""
        found = self._outcomes[keywords]
        assert isinstance(found, Hits | WebFailure)
        return found

    def fetch(self, url: str) -> Page | WebFailure:
        """The outcome for this address."""
        found = self._outcomes[url]
        assert isinstance(found, Page | WebFailure)
        return found


def _argument(call: Call) -> str:
    return str(call.arguments.get("keywords", call.arguments.get("url")))


def _groups(asked: Sequence[Asked]) -> Iterator[list[Asked]]:
    for start in range(0, len(asked), AT_ONCE):
        yield list(asked[start : start + AT_ONCE])


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Comparison[str]]:
    """Compares conversations with the official tools, prints the counts, and fails at a difference."""
    require_peer()

    def checked(title: str, held: Sequence[Conversation], recorded: str | None = None) -> Comparison[str]:
        """recorded: the name of the recorded answers; None: they depend on a server, and are asked for."""
        rows = [one.row() for one in held]
        if recorded is None:
            answers = ask_peer(REFERENCE, rows, tmp_path / "peer")
        else:
            ours = [{"results": one.results} for one in held]
            seam = Seam(recorded, REFERENCE, form=_without_addresses)
            answers = seam.answers(rows, ours, tmp_path / "peer")
        comparison: Comparison[str] = Comparison(f"web seam: {title}")
        for one, theirs in zip(held, answers, strict=True):
            for call, *results in zip(one.calls, one.results, theirs["results"], strict=True):
                ours, official = (_ADDRESS.sub("0x0", text) for text in results)
                told = f"{call['name']} {call['arguments']!r:.300}: {apart(ours, official)}"
                failed = official.startswith(('{"error"', "Error during execution"))
                kind = f"{call['name'].partition('_')[0]}, {'failed' if failed else 'done'}"
                comparison.add(call["name"], kind, None if ours == official else told)
        with capsys.disabled():
            print(comparison.summary())
        comparison.check()
        return comparison

    return checked


def test_the_same_outcome_is_shown_as_by_the_official_tools(
    constants: Constants, check: Callable[..., Comparison[str]]
) -> None:
    """Any hits, pages and failures, with any arguments, have the official text."""
    conversations: list[Conversation] = []
    for asked in [*_groups([*searches(SEARCHES, 0)]), *_groups([*fetches(FETCHES, 0)])]:
        calls = [
            {"name": one.call.name, "arguments": one.call.arguments, "answer": one.official()}
            for one in asked
        ]
        held = Conversation(len(conversations), calls)
        held.hold(Given(asked), [one.call for one in asked], constants)
        conversations.append(held)
    kinds = check("the same outcomes", conversations, "web_outcomes").kinds
    assert kinds.total() == SEARCHES + FETCHES
    assert min(kinds.values()) >= 500


class Served:
    """Our live web over a server on this machine: the paid service at an address per search, and pages."""

    def __init__(self, server: WebServer) -> None:
        self._base = server.address
        self._server = server
        self.fetch = Fetcher(allow_private=True).fetch

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results of the paid service."""
        base_url, client = f"{self.of_search(keywords)}/search", HttpClient(allow_private=True)
        return SerpApi("no key", base_url, client=client).search(keywords, region)

    def of_search(self, keywords: str) -> str:
        """The base address of the service for one search."""
        return f"{self._base}/{crc32(keywords.encode())}"

    def asked_search(self, draw: random.Random, number: int) -> dict[str, Any]:
        """A search, and the answer of the server to it."""
        keywords = draw.choice(("tea", "caf\u00e9 \u9d28", "a & b=c")) + f" {number}"
        found = [
            {"position": place, "title": hit.title, "link": hit.href, "snippet": hit.body, "favicon": "x"}
            for place, hit in enumerate(hits(draw, 30))
        ]
        payload: dict[str, Any] = {"search_metadata": {"status": "Success"}, "organic_results": found}
        status = "200 OK"
        if draw.random() < 0.3:
            del payload["organic_results"]
            payload["error"] = "DuckDuckGo hasn't returned any results for this query."
        if draw.random() < 0.1:
            payload, status = {"error": "Unsupported `zz-zz` location."}, "400 Bad Request"
        place = urlsplit(self.of_search(keywords)).path
        body = http(payload, status, "application/json")
        self._server.script(f"{place}/search", body)
        arguments: dict[str, Any] = {"keywords": keywords, "max_results": draw.choice((None, 3, 10, -1))}
        return {
            "name": "search_engine_query",
            "arguments": arguments,
            "server": self.of_search(keywords),
        }

    def asked_page(self, draw: random.Random, number: int) -> dict[str, Any]:
        """A fetch, and the answer of the server to it."""
        path = f"/page/{number}"
        url = self._server.script(path, self._page(draw, path))
        if draw.random() < 0.1:
            url = draw.choice(INVALID).format(base=self._base)
        arguments = {"url": url, "mode": draw.choice(("raw", "markdown", "truncate"))}
        return {"name": "fetch_url_content", "arguments": arguments, "server": self._base}

    def _page(self, draw: random.Random, path: str) -> bytes:
        text, answer = html(draw).removeprefix("\ufeff"), http
        body, kind = text.encode(), "text/html; charset=utf-8"
        if draw.random() < 0.2:
            body, kind = text.encode("iso-8859-1", "replace"), "text/html; charset=ISO-8859-1"
        if draw.random() < 0.1:
            body, kind = text.encode("ascii", "replace"), "text/plain"
        status = draw.choice([*STATUSES.items()])
        match draw.randrange(10):
            case 0 | 1:
                return answer(body, f"{status[0]} {status[1]}", kind)
            case 2:
                return answer(gzip.compress(body), kind=kind, Content_Encoding="gzip")
            case 3:
                return answer(zlib.compress(body), kind=kind, Content_Encoding="deflate")
            case 4:
                self._server.script(f"{path}/there?q=1", answer(body, kind=kind))
                return moved(f"{path}/there?q=1")
            case 5:
                target = draw.choice(("ftp://a.example/x", "javascript:alert(1)", "/nowhere", "http:///x"))
                return moved(target)
            case 6:
                return answer(body, kind=kind, Content_Length=str(len(body) + 7))
            case 7:
                return draw.choice((b"", b"nonsense\r\n\r\n", answer(b"bad", Content_Encoding="gzip")))
        return answer(body, kind=kind)


def test_the_same_answers_of_a_server_are_shown_as_by_the_official_tools(
    constants: Constants, tmp_path: Path, check: Callable[..., Comparison[str]]
) -> None:
    """Searches by the paid service and pages over HTTP have the official text, recorded and replayed."""
    draw = random.Random("served 0")
    with web_server() as server:
        live, cache = Served(server), WebCache(tmp_path / "web")
        conversations: list[Conversation] = []
        for number in range(SERVED // AT_ONCE):
            start = number * AT_ONCE
            calls = [live.asked_search(draw, place) for place in range(start, start + AT_ONCE, 2)]
            calls += [live.asked_page(draw, place) for place in range(start + 1, start + AT_ONCE, 2)]
            held, replayed = Conversation(number, calls), Conversation(number, calls)
            for one, web in ((held, RecordingWeb(cache, live)), (replayed, ReplayingWeb(cache))):
                one.hold(web, [Call(call["name"], call["arguments"]) for call in calls], constants)
            assert held == replayed
            conversations.append(held)
        kinds = check("the same answers of a server", conversations).kinds
    assert kinds.total() == SERVED
    assert min(kinds.values()) >= SERVED // 20


def test_results_of_ddgs_are_shown_as_by_the_official_tools(
    constants: Constants, tmp_path: Path, check: Callable[..., Comparison[str]]
) -> None:
    """What ddgs reads from pages of results is recorded, and shown as the same results of the service."""
    draw = random.Random("duckduckgo 0")
    with web_server() as server:
        connection = Connection(site=server.address)
        live = LiveWeb("duckduckgo", DuckDuckGo(connection=connection), Fetcher())
        cache = WebCache(tmp_path / "web")
        web = RecordingWeb(cache, live)
        conversations: list[Conversation] = []
        for number in range(BY_ENGINE):
            found = () if number % 8 == 0 else hits(draw, 25)
            server.script("/html/", http(duckduckgo_page(Hits(found)).encode("utf-8", "replace")))
            arguments = {"keywords": f"tea {number}", "max_results": draw.choice((None, 3, 10, -2))}
            call = Call("search_engine_query", arguments)
            held = Conversation(number, [])
            held.hold(web, [call], constants)
            recorded = cache.find(SearchKey.of(f"tea {number}", "wt-wt"))
            assert isinstance(recorded, Hits)
            assert len(recorded.hits) == len(found)
            answer = Asked(call, recorded).official()
            held.calls.append({"name": call.name, "arguments": arguments, "answer": answer})
            conversations.append(held)
    assert check("results of duckduckgo", conversations, "web_duckduckgo").compared == BY_ENGINE
