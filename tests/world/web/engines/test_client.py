"""The HTTP client of searches: which site it asks, what is kept of its traffic, what it imitates."""

import gzip
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.engines.asking import LIMITS, RetryPolicy, UnknownAnswer
from bfcl_pipeline.world.web.engines.client import SITE, Connection, EngineClient
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.evidence.tape import taping
from tests.support.search_pages import HITS, NONE, RESULTS
from tests.support.web_server import SILENCE, WebServer, http

PAGE = f"{SITE}/html/"
ONCE = RetryPolicy(attempts=1)


def client(server: WebServer, **settings: Any) -> EngineClient:
    """A client of the engine whose site is on this machine."""
    return EngineClient(Connection(site=server.address, **settings), ONCE)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "http://html.duckduckgo.com/",
        "https://html.duckduckgo.com:8443/",
        "https://me@html.duckduckgo.com/",
        "https://html.duckduckgo.com.evil.example/",
        "https://evil.example\\html.duckduckgo.com/",
    ],
)
def test_no_other_site_is_asked(server: WebServer, address: str) -> None:
    """A request to another host, port or scheme than the engine's is refused, and nothing is sent."""
    server.script("", http("x"))
    with taping() as tape, pytest.raises(UnknownAnswer, match="Nothing was sent"):
        client(server).request("POST", address, data={})
    assert tape.exchanges == server.asked == []


def test_the_tape_has_no_cookies(server: WebServer) -> None:
    """Cookies of the site are sent, and are not in the cassette; other headers are."""
    server.script("", http("first", Set_Cookie="sid=s3cret-site; Path=/", X_Own="kept"))
    asking = client(server)
    with taping() as tape:
        for _ in range(2):
            asking.request("POST", PAGE, data={"q": "ducks & geese"})
    first, second = server.asked
    assert "cookie" not in first.headers
    assert second.headers["cookie"] == "sid=s3cret-site"
    assert first.fields == second.fields == {"q": "ducks & geese"}
    cassette = (tape.cassette() or b"").decode()
    assert "s3cret" not in cassette
    for kept in ("x-own", "kept", "Firefox", "q=ducks+%26+geese", "first"):
        assert kept in cassette, kept


def test_the_browser_is_always_the_same(server: WebServer) -> None:
    """Two clients send the same headers, those of one browser; ddgs's own draws a browser each time."""
    server.script("", http("x"))
    for _ in range(8):
        client(server).request("POST", PAGE, data={})
    headers = [asked.headers for asked in server.asked]
    assert headers == [headers[0]] * 8
    assert "Gecko" in headers[0]["user-agent"]
    assert headers[0]["sec-fetch-mode"] == "navigate"
    assert {"gzip", "br", "zstd"} <= {*headers[0]["accept-encoding"].split(", ")}


def test_a_played_page_is_bounded_in_size(server: WebServer) -> None:
    """A page of a cassette that is larger than a run accepts is refused before it is parsed."""
    server.script("", http("x" * 1_001))
    with taping() as tape:
        client(server).request("POST", PAGE, data={})
    asking = client(server, limits=replace(LIMITS, body_bytes=1_000))
    asking.check = pytest.fail
    with playing(CassettePlayer(tape.cassette() or b"")), pytest.raises(UnknownAnswer, match="1000 bytes"):
        asking.request("POST", PAGE, data={})


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("text/html", "na\ufffdve"),
        ("text/html; charset=utf-8", "na\ufffdve"),
        ("text/html; charset=ISO-8859-1", "naïve"),
        ('text/html; charset="windows-1252"; x=y', "naïve"),
        ("text/html; charset=utf-7", "na\ufffdve"),
    ],
)
def test_the_encoding_of_a_page(server: WebServer, content_type: str, text: str) -> None:
    """A page is UTF-8, whatever its bytes, unless it declares the charset of old pages."""
    body = gzip.compress("naïve".encode("latin-1"))
    server.script("", http(body, Content_Type=content_type, Content_Encoding="gzip"))
    assert client(server).request("POST", PAGE, data={}) == text


def test_a_failure_is_named_without_the_address(closed_port: int) -> None:
    """The reason of a failed connection is in the error, what was searched is not."""
    engine = DuckDuckGo(ONCE, Connection(site=f"http://127.0.0.1:{closed_port}"))
    with taping() as tape, pytest.raises(WebError, match="Connection refused") as raised:
        engine.search("s3cret words", "us-en")
    assert "s3cret" not in str(raised.value)
    assert [exchange.error for exchange in tape.exchanges] == ["Connection refused (os error 111)"]


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_certificates_that_cannot_be_read(
    tmp_path: Path, content: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of certificates that is missing or is none is an error of the configuration, named at once."""
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(ConfigError, match=r"SSL_CERT_FILE \(.*ca\.pem\)"):
        DuckDuckGo().search("ducks", "us-en")


def test_a_request_is_bounded_in_time(server: WebServer) -> None:
    """A request that lasts longer than the whole time is an outage, however long a silence may be."""
    server.script("", SILENCE)
    limits = replace(LIMITS, read_seconds=600.0, total_seconds=0.05)
    with pytest.raises(WebError, match="timed out"):
        client(server, limits=limits).request("POST", PAGE, data={})


def test_a_silent_site_does_not_hold_up_others(server: WebServer) -> None:
    """While a search waits for its answer, searches of other threads are answered."""
    engine = DuckDuckGo(ONCE, Connection(site=server.address))
    arrived, release = threading.Event(), threading.Event()

    def beside(asked: Any) -> bytes | None:
        if asked.fields["q"] != "slow":
            return None
        arrived.set()
        release.wait(20)
        return bytes(http(NONE))

    server.answering = beside
    server.script("", http(RESULTS))
    found: list[Any] = []
    waiting = threading.Thread(target=lambda: found.append(engine.search("slow", "us-en")))
    waiting.start()
    assert arrived.wait(20)
    assert engine.search("ducks", "us-en") == Hits(HITS)
    assert found == []
    release.set()
    waiting.join()
    assert found == [Hits(())]


def test_only_searches_load_ddgs() -> None:
    """Neither the web of a replay nor an import of the modes loads ddgs, its client or vcrpy."""
    program = (
        "import sys; from pathlib import Path; from bfcl_pipeline.world.web.modes import open_web; "
        "open_web('replay', Path('x')); open_web('record', Path('x'), offline=True); "
        "print(sorted({'ddgs', 'primp', 'lxml', 'vcr'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"
