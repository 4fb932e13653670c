"""A web cache with outcomes of every kind, and what rewrites its files with all hashes made right."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.world.executables import ApiRequest
from bfcl_pipeline.world.tools.web_search.web import Hit
from bfcl_pipeline.world.web.api_recording import RecordingApis
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.playing import playing
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey, digest
from bfcl_pipeline.world.web.modes import Engine, engine_text
from bfcl_pipeline.world.web.recording import Recorder
from tests.support.search_pages import page, result
from tests.support.web_record import AT_ONCE, CLIENT, SERPAPI, ScriptedSites, serpapi_answer
from tests.support.web_server import RESET, http, web_server

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
SECRET = "secret0123456789abcdef"

COVID = ApiKey(
    ApiRequest(
        "https://covid-193.p.rapidapi.com/statistics",
        (("country", "Fiji"),),
        (("X-RapidAPI-Key", "YOUR-RAPID-API-KEY"), ("X-RapidAPI-Host", "covid-193.p.rapidapi.com")),
    )
)


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


def results_page(*titles: str) -> str:
    """A page of DuckDuckGo."""
    return page(
        *(result(title, f"https://{title}.example/?a=1&amp;b=%2F", f"About {title}.") for title in titles)
    )


def record(folder: Path) -> dict[str, Key]:
    """Records searches by both engines, pages and failures of a server, a request that is not sent, and an
    answer of an API. Returns their keys by name."""
    recorder = Recorder(WebCache(folder), secrets=["key-of-serpapi"], now=lambda: NOON)
    sites, keys = ScriptedSites(), dict[str, Key]()

    def search(name: str, engine: str, keywords: str, region: str = "us-en") -> None:
        key = keys[name] = SearchKey.of(keywords, region)
        live: Engine = SerpApi("key-of-serpapi", retries=AT_ONCE)
        if engine != "serpapi":
            live = DuckDuckGo(AT_ONCE, Connection(site=server.address))
            recorder.outcome(key, engine_text(engine), lambda: live.search(key.keywords, key.region))
            return
        with playing(sites):
            recorder.outcome(key, engine_text(engine), lambda: live.search(key.keywords, key.region))

    def fetch(name: str, url: str, *answers: bytes, private: bool = True) -> None:
        key = keys[name] = FetchKey.of(url)
        server.asked.clear()
        server.script("", *answers)
        fetcher = Fetcher(allow_private=private)
        recorder.outcome(key, CLIENT, lambda: fetcher.fetch(key.url))

    with web_server() as server:
        sites.script(SERPAPI, "busy", 503)
        found = [Hit(name, f"https://{name}.example/?a=1&b=%2F", "Tea.") for name in ("oolong", "sencha")]
        sites.script(SERPAPI, serpapi_answer(*found))
        search("search", "serpapi", "green tea")
        sites.script(SERPAPI, '{"search_metadata": {"status": "Success"}}')
        search("search without results", "serpapi", "xyzzy plugh")
        sites.script(SERPAPI, '{"error": "Unsupported `no-where` region"}', 400)
        search("search that is not accepted", "serpapi", "tea", "no-where")

        first, last = http(results_page("oolong", "sencha")), http(results_page("sencha"))
        server.script("", http("", "202 Accepted"), first, last)
        search("search by DuckDuckGo", "duckduckgo", "black  tea")
        server.asked.clear()
        server.script("", first, RESET, last)
        search("search after a reset", "duckduckgo", "red tea")
        search("empty search", "duckduckgo", " ")

        base = f"{server.address}/html/"
        tea = http("<p>Green tea \u2014 \u7dd1\u8336 &amp; more.</p>")
        fetch("page", f"{base}page", tea)
        own = http(f"<p>Your {SECRET}.</p>")
        fetch("page with a secret", f"{base}own?token={SECRET}", own)
        fetch(
            "page after a redirect",
            f"{base}start",
            http("", "302 Found", Location=f"/html/end?sid={SECRET}"),
            http(f"<a href='/next?sid={SECRET}'>next</a>"),
        )
        small = http(gzip.compress(b"<p>small</p>"), Content_Encoding="gzip")
        fetch("compressed page", f"{base}gzip", small)
        fetch("missing page", f"{base}none", http("no", "404 Not Found"))
        fetch("image", f"{base}image", http(b"\x89PNG\r\n\x1a\n", kind="image/png"))
        fetch("reset", f"{base}reset", RESET)
        fetch("page that is cut short", f"{base}cut", http("<p>", length=500))
        fetch("refused address", f"{base}refused", tea, private=False)
        fetch("no address", "http://")

    sites.script("https://covid-193.p.rapidapi.com/", "busy", 503)
    sites.script("https://covid-193.p.rapidapi.com/", '{"cases": 7}', Content_Type="application/json")
    apis = RecordingApis(
        WebCache(folder),
        {"RAPID_API_KEY": "rapid/key+0123456789"},
        retries=AT_ONCE,
        now=lambda: NOON,
    )
    keys["answer of an API"] = COVID
    with playing(sites):
        apis.get(COVID.request)
    assert sites.left() == 0
    return keys


@pytest.fixture(scope="session")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Key]]:
    """A web cache with outcomes of every kind; not to be changed."""
    folder = tmp_path_factory.mktemp("recorded") / "web"
    return folder, record(folder)


@pytest.fixture
def recorded(recorded_once: tuple[Path, dict[str, Key]], tmp_path: Path) -> Recorded:
    """A copy of that web cache."""
    folder, keys = recorded_once
    shutil.copytree(folder, tmp_path / "web")
    return Recorded(WebCache(tmp_path / "web"), keys)
