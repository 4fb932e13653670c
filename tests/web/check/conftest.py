"""A web cache with outcomes of every kind, and what rewrites its files with all hashes made right."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline import __version__
from bfcl_pipeline.executables import ApiRequest
from bfcl_pipeline.web.api_recording import HostPace, RecordingApis
from bfcl_pipeline.web.cache import WebCache, outcome_document
from bfcl_pipeline.web.engines.retries import RetryPolicy
from bfcl_pipeline.web.engines.serpapi import SerpApi
from bfcl_pipeline.web.evidence.playing import NotOnCassette, PlayedAnswer, playing
from bfcl_pipeline.web.fetcher import Fetcher, FetchLimits
from bfcl_pipeline.web.keys import ApiKey, FetchKey, Key, SearchKey, digest
from bfcl_pipeline.web.recorder import Recorder

CLIENT = f"requests of bfcl-pipeline {__version__}"
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
AT_ONCE = RetryPolicy(sleep=lambda _: None, jitter=float)
SECRET = "secret0123456789abcdef"

TEA = SearchKey.of("green tea", "us-en")
NOTHING = SearchKey.of("xyzzy plugh", "us-en")
REFUSED = SearchKey.of("tea", "no-where")
COVID = ApiKey(
    ApiRequest(
        "https://covid-193.p.rapidapi.com/statistics",
        (("country", "Fiji"),),
        (("X-RapidAPI-Key", "YOUR-RAPID-API-KEY"), ("X-RapidAPI-Host", "covid-193.p.rapidapi.com")),
    )
)


@dataclass
class ScriptedSites:
    """Sites that answer in the place of the network, each address in the order of its answers."""

    answers: list[tuple[str, PlayedAnswer]] = field(default_factory=list)  # by the start of an address

    def script(self, start: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        self.answers.append((start, PlayedAnswer(status, "OK", named, content)))

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        for number, (start, answer) in enumerate(self.answers):
            if url.startswith(start):
                del self.answers[number]
                return answer
        raise NotOnCassette(f"{method} {url}")

    def left(self) -> int:
        return len(self.answers)


@dataclass
class Recorded:
    """A web cache, and what was recorded in it by name."""

    cache: WebCache
    keys: dict[str, Key]

    def path(self, name: str) -> Path:
        return self.cache.path(self.keys[name])

    def document(self, name: str) -> Any:
        return json.loads(self.path(name).read_bytes())

    def cassette(self, name: str) -> Path:
        return self.path(name).with_name(self.document(name)["cassette"])

    def rewrite(self, name: str, **changed: Any) -> None:
        """Writes an outcome file with other fields, and the hash that fits them."""
        document = {**self.document(name), **changed}
        del document["sha256"]
        document["sha256"] = digest(document)
        self.path(name).write_bytes(json.dumps(document, indent=1).encode() + b"\n")

    def rewrite_cassette(self, name: str, change: Callable[[bytes], bytes]) -> None:
        """Writes a cassette with other content, and its outcome file with the hash that fits it."""
        path = self.cassette(name)
        content = path.read_bytes()
        changed = change(content)
        assert changed != content
        path.write_bytes(changed)
        self.rewrite(name, cassette_sha256=hashlib.sha256(changed).hexdigest())


def serpapi_page(*titles: str) -> str:
    """What SerpApi sends for a search with these results."""
    results = [
        {"title": title, "link": f"https://{title}.example/?a=1&b=%2F", "snippet": f"About {title}."}
        for title in titles
    ]
    return json.dumps({"search_metadata": {"status": "Success"}, "organic_results": results})


@pytest.fixture
def sites() -> ScriptedSites:
    return ScriptedSites()


@pytest.fixture
def recorded(tmp_path: Path, scripted_engine: Any, sites: ScriptedSites) -> Recorded:
    """Searches by SerpApi, pages and failures of a server, requests that are never sent, an API answer."""
    cache, server = WebCache(tmp_path / "web"), scripted_engine
    recorder = Recorder(cache, secrets=["key-of-serpapi"], now=lambda: NOON)
    keys: dict[str, Key] = {}

    def search(name: str, key: SearchKey) -> None:
        keys[name] = key
        serpapi = SerpApi("key-of-serpapi", retries=AT_ONCE)
        with playing(sites):
            recorder.outcome(key, f"serpapi by {CLIENT}", lambda: serpapi.search(key.keywords, key.region))

    def fetch(name: str, url: str, *answers: bytes, private: bool = True, **limits: Any) -> None:
        key = keys[name] = FetchKey.of(url)
        server.asked.clear()
        server.script(*answers)
        fetcher = Fetcher(FetchLimits(**limits), allow_private=private)
        recorder.outcome(key, CLIENT, lambda: fetcher.fetch(key.url))

    base = server.url
    sites.script("https://serpapi.com/", "busy", 503)
    sites.script("https://serpapi.com/", serpapi_page("oolong", "sencha"))
    search("search", TEA)
    sites.script("https://serpapi.com/", '{"search_metadata": {"status": "Success"}}')
    search("search without results", NOTHING)
    sites.script("https://serpapi.com/", '{"error": "Unsupported `no-where` region"}', 400)
    search("search that is not accepted", REFUSED)

    html = {"Content_Type": "text/html"}
    page = server.http("<p>Green tea \u2014 \u7dd1\u8336 &amp; more.</p>", **html)
    fetch("page", f"{base}page", page)
    fetch("page with a secret", f"{base}own?token={SECRET}", server.http(f"<p>Your {SECRET}.</p>", **html))
    fetch(
        "page after a redirect",
        f"{base}start",
        server.http("", "302 Found", Location=f"/html/end?sid={SECRET}"),
        server.http(f"<a href='/next?sid={SECRET}'>next</a>", **html),
    )
    fetch(
        "compressed page",
        f"{base}gzip",
        server.http(gzip.compress(b"<p>small</p>"), Content_Encoding="gzip", **html),
    )
    fetch("missing page", f"{base}none", server.http("no", "404 Not Found"))
    fetch("image", f"{base}image", server.http(b"\x89PNG\r\n\x1a\n", Content_Type="image/png"))
    fetch("reset", f"{base}reset", server.RESET)
    fetch("page that is cut short", f"{base}cut", server.http("<p>", length=500, **html))
    fetch("refused address", f"{base}refused", page, private=False)
    fetch("no address", "http://")

    sites.script("https://covid-193.p.rapidapi.com/", "busy", 503)
    sites.script("https://covid-193.p.rapidapi.com/", '{"cases": 7}', Content_Type="application/json")
    apis = RecordingApis(
        cache,
        {"RAPID_API_KEY": "rapid/key+0123456789"},
        retries=AT_ONCE,
        pace=HostPace({}, 0.0),
        now=lambda: NOON,
    )
    keys["answer of an API"] = COVID
    with playing(sites):
        apis.get(COVID.request)
    assert sites.left() == 0
    return Recorded(cache, keys)


def outcome_of(cache: WebCache, key: Key) -> Any:
    """The outcome of a key as its file has it."""
    found = None
    with suppress(AttributeError):
        found = cache.find(key)
    assert found is not None
    return outcome_document(found)
