"""Fetching pages: what each answer of a server is to a model, and proven by its cassette."""

from __future__ import annotations

import gzip
import re
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

import brotli
import pytest

from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.fetcher import HEADERS
from bfcl_pipeline.world.web.http_client import HttpLimits
from tests.support.proven_fetcher import ProvenFetcher as Fetcher
from tests.support.web_server import RESET, SILENCE, Answer, WebServer, http, moved

PACKED: Mapping[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "deflate against the standard": ("deflate", lambda body: zlib.compress(body)[2:-4]),
    "br": ("br", brotli.compress),
    "twice": ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
    "identity": ("identity", bytes),
}
TEXT = "naïve " * 9
OK = b"HTTP/1.1 200 OK\r\n"
CUT = "IncompleteRead(5 bytes read, 5 more expected)"


def chunked(body: bytes, encoding: str) -> bytes:
    head = http(Content_Encoding=encoding, Transfer_Encoding="chunked", Content_Length="")
    return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def endless(head: bytes, piece: bytes) -> Answer:
    """As many pieces as one likes."""
    return lambda: iter([OK + head + b"\r\n", *repeat(piece, 1_000)])


def unsupported(kind: str) -> str:
    return f"Unsupported content type: {kind} for url: {{url}}"


LARGE = "Content of more than 200,000 bytes for url: {url}"

ANSWERS: Mapping[str, tuple[Answer, Page | str]] = {
    "charset of the header": (
        http("caf\xe9".encode("latin-1"), kind="text/html; charset=iso-8859-1"),
        Page("café"),
    ),
    **{
        f"whole, {name}": (http(pack(TEXT.encode()), Content_Encoding=encoding), Page(TEXT))
        for name, (encoding, pack) in PACKED.items()
    },
    **{
        f"in chunks, {name}": (chunked(pack(TEXT.encode()), encoding), Page(TEXT))
        for name, (encoding, pack) in PACKED.items()
    },
    **{
        f"damaged {encoding}": (
            http(b"\xff\xfe not packed", Content_Encoding=encoding),
            f"('Received response with content-encoding: {encoding}, but failed to decode it.', *",
        )
        for encoding in ("gzip", "br", "deflate")
    },
    "404": (http("gone", "404 Not Found"), "404 Client Error: Not Found for url: {url}"),
    "429": (http("", "429 Too Many Requests"), "429 Client Error: Too Many Requests for url: {url}"),
    "503": (http("", "503 Service Unavailable"), "503 Server Error: Service Unavailable for url: {url}"),
    "no reason": (http("", "418 "), "418 Client Error:  for url: {url}"),
    "image": (http(b"\x89PNG", kind="image/png"), unsupported("image/png")),
    "document": (http(b"%PDF", kind="application/pdf"), unsupported("application/pdf")),
    "archive": (http(b"PK", kind="application/zip"), unsupported("application/zip")),
    "video": (http(b"x", kind="Video/MP4; codecs=x"), unsupported("video/mp4")),
    "document as a page": (
        http(b"%PDF-1.7 \0\1\2"),
        "Unsupported content: binary data for url: {url}",
    ),
    "truncated": (http("12345", length=10), f"('Connection broken: {CUT}', {CUT})"),
    "more than announced": (http("12345", length=3), Page("123")),
    "reset at once": (RESET, "(*Connection *"),
    "reset in the headers": (OK + RESET, "(*Connection *"),
    "reset in the body": (OK + b"Content-Length: 9\r\n\r\n1" + RESET, "(*Connection *"),
    "nothing": (b"", "('Connection aborted.', RemoteDisconnected(*"),
    "another protocol": (b"nonsense\r\n\r\n", "('Connection aborted.', BadStatusLine(*"),
    "a status of letters": (b"HTTP/1.1 xxx\r\n\r\n", "('Connection aborted.', BadStatusLine(*"),
    "loop": (moved("/"), "Exceeded 10 redirects."),
    **{
        f"redirect to {target}": (moved(target), f"No connection adapters were found for {target!r}")
        for target in ("ftp://example.org/x", "file:///etc/passwd", "javascript:alert(1)")
    },
    "endless": (endless(b"", b"x" * 1_000), LARGE),
    "endless chunks": (endless(b"Transfer-Encoding: chunked\r\n", b"4\r\nxxxx\r\n" * 100), LARGE),
    "endless empty blocks": (endless(b"Content-Encoding: deflate\r\n", b"\0\0\0\xff\xff" * 200), LARGE),
    "endless body of a redirect": (
        lambda: iter([moved("/none", Content_Length="1000000"), *repeat(b"x" * 1_000, 1_000)]),
        "404 Client Error: Not Found for url: {url}none",
    ),
    "long headers": (http("x", X_Long="y" * 5_000), "Headers of more than 4,000 bytes for url: {url}"),
}
"""By name: the answer, and the page or the failure (* stands for anything) for the model."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_an_answer_is(server: WebServer, fetcher: Fetcher, name: str) -> None:
    """A page is its decoded text; a failure has the text of the release, which is that of `requests`."""
    answer, outcome = ANSWERS[name]
    url = server.script("/", answer)
    server.script("/none", http("", "404 Not Found"))
    found = fetcher.fetch(url)
    if isinstance(outcome, Page):
        assert found == outcome
    else:
        parts = map(re.escape, outcome.format(url=url).split("*"))
        assert isinstance(found, WebFailure)
        assert re.fullmatch(".*".join(parts), found.message, re.DOTALL)
    assert len(server.asked) == (11 if name == "loop" else 2 if "of a redirect" in name else 1)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /\r\nX: ",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nx",
    ],
)
def test_a_dripping_server_reaches_the_time_limit(server: WebServer, start: bytes) -> None:
    """A byte now and then, in the headers or in the page, does not extend the fetch; its connection is cut,
    so that its thread ends as well."""
    fetcher = Fetcher(HttpLimits(total_seconds=0.2), allow_private=True)
    url = server.script("/", server.drip(start))
    assert fetcher.fetch(url) == WebFailure(f"Read timed out. (total timeout=0.2) for url: {url}")
    for thread in [one for one in threading.enumerate() if one.name == "fetch"]:
        thread.join(20)
        assert not thread.is_alive()


def test_silence_reaches_the_read_timeout(server: WebServer) -> None:
    """A server that sends nothing has the failure text of `requests`."""
    fetcher = Fetcher(HttpLimits(read_seconds=0.05), allow_private=True)
    said = f"HTTPConnectionPool(host='127.0.0.1', port={server.port}): Read timed out. (read timeout=0.05)"
    assert fetcher.fetch(server.script("/", SILENCE)) == WebFailure(said)


def test_a_slow_resolver_reaches_the_time_limit(server: WebServer) -> None:
    """The name lookup is part of the fetch."""

    def lookup(*_: object) -> list[Any]:
        server.ended.wait(10)
        return []

    fetched = Fetcher(HttpLimits(total_seconds=0.05), lookup=lookup).fetch("http://page.example/")
    assert fetched == WebFailure("Read timed out. (total timeout=0.05) for url: http://page.example/")


@pytest.mark.parametrize("name", ["gzip", "br", "deflate"])
def test_bombs_are_not_unpacked(server: WebServer, fetcher: Fetcher, name: str) -> None:
    """Decompression ends at the limit, without allocating the full size."""
    encoding, pack = PACKED[name]
    url = server.script("/", http(pack(bytes(30_000_000)), Content_Encoding=encoding))
    tracemalloc.start()
    fetched = fetcher.fetch(url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fetched == WebFailure(f"Content of more than 300,000 bytes for url: {url}")
    assert peak < 5_000_000


def test_a_long_failure_is_cut(server: WebServer) -> None:
    """A long explanation of the server does not fill the model's context."""
    url = server.script("/", http("", "500 " + "why " * 9_000))
    fetched = Fetcher(allow_private=True).fetch(url)
    assert isinstance(fetched, WebFailure)
    assert len(fetched.message) == 4_000


def test_only_the_headers_of_the_release_are_sent(server: WebServer, fetcher: Fetcher) -> None:
    """A request has the browser's headers in their order, beside the host."""
    fetcher.fetch(server.script("/", http("x")))
    sent = dict(line.split(": ", 1) for line in server.asked[0].lines[1:])
    assert sent.pop("Host") == f"127.0.0.1:{server.port}"
    assert list(sent.items()) == list(HEADERS.items())


def test_redirects_are_followed(server: WebServer, fetcher: Fetcher) -> None:
    """Relative and absolute targets lead on, and the fragment stays."""
    server.script("/c?q=1", moved(f"//127.0.0.1:{server.port}/d"))
    url = server.script("/a/b", moved("../c?q=1"))
    missing = f"{server.address}/d#here"
    assert fetcher.fetch(url + "#here") == WebFailure(f"404 Client Error: Not Found for url: {missing}")


def test_cookies_live_as_long_as_a_fetch(server: WebServer, fetcher: Fetcher) -> None:
    """A cookie set by a redirect is sent to its target, and forgotten by the next fetch."""
    server.script("/in", http("x"))
    url = server.script("/", moved("/in", Set_Cookie="who=me; Path=/"))
    for _ in range(2):
        fetcher.fetch(url)
    assert [asked.headers.get("cookie") for asked in server.asked] == [None, "who=me", None, "who=me"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http:///x", "Invalid URL 'http:///x': No host supplied"),
        ("http://host:99999/", "Failed to parse: http://host:99999/"),
        ("http://[::1/", "Failed to parse: '[::1' is not a valid host or port"),
        ("http://*.example/", "URL has an invalid label."),
        ("http://a..b/", "Failed to parse: 'a..b', label empty or too long"),
        ("ftp://example.org/x", "No connection adapters were found for 'ftp://example.org/x'"),
        ("file:///etc/passwd", "No connection adapters were found for 'file:///etc/passwd'"),
    ],
)
def test_invalid_addresses_are_failures(fetcher: Fetcher, url: str, said: str) -> None:
    """An address that is not one, or of another scheme, is a failure with the text of `requests`."""
    assert fetcher.fetch(url) == WebFailure(said)


def test_a_refused_connection_has_the_same_text_each_time(closed_port: int, fetcher: Fetcher) -> None:
    """The text is that of requests, without the address of an object."""
    said = (
        f"HTTPConnectionPool(host='127.0.0.1', port={closed_port}): Max retries exceeded with url: /x "
        f"(Caused by NewConnectionError(\"HTTPConnection(host='127.0.0.1', port={closed_port}): "
        'Failed to establish a new connection: [Errno 111] Connection refused"))'
    )
    url = f"http://127.0.0.1:{closed_port}/x"
    assert fetcher.fetch(url) == fetcher.fetch(url) == WebFailure(said)


def test_a_fetcher_serves_several_threads(server: WebServer, fetcher: Fetcher) -> None:
    """Parallel fetches do not affect each other."""
    urls = [server.script(f"/{number}", http(str(number))) for number in range(8)]
    fetched: dict[str, Page | WebFailure] = {}
    threads = [
        threading.Thread(target=lambda url=url: fetched.update({url: fetcher.fetch(url)})) for url in urls
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetched == {url: Page(str(number)) for number, url in enumerate(urls)}
