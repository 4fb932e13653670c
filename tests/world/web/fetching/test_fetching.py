"""Fetching pages: which responses are pages, and which are failures with which text."""

from __future__ import annotations

import gzip
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import pytest

from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.fetcher import HEADERS
from tests.support.proven_fetcher import ProvenFetcher as Fetcher


def test_a_page_is_its_text(pages: Any, fetcher: Fetcher) -> None:
    """A page is decoded with the charset of its header."""
    url = pages.serve("/", pages.answer("caf\xe9".encode("latin-1"), kind="text/html; charset=iso-8859-1"))
    assert fetcher.fetch(url) == Page("café")


def test_only_the_headers_of_the_release_are_sent(pages: Any, fetcher: Fetcher) -> None:
    """A request has the browser's headers in their order, beside the host."""
    fetcher.fetch(pages.serve("/", pages.answer(b"x")))
    sent = dict(line.split(": ", 1) for line in pages.asked[0][1:])
    assert sent.pop("Host") == f"127.0.0.1:{pages.port}"
    assert list(sent.items()) == list(HEADERS.items())


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("404 Not Found", "404 Client Error: Not Found"),
        ("429 Too Many Requests", "429 Client Error: Too Many Requests"),
        ("503 Service Unavailable", "503 Server Error: Service Unavailable"),
        ("418", "418 Client Error: "),
    ],
)
def test_an_error_status_has_the_text_of_requests(
    pages: Any, fetcher: Fetcher, status: str, said: str
) -> None:
    """An error of the server is a failure with the release's text."""
    url = pages.serve("/x", pages.answer(b"gone", status))
    assert fetcher.fetch(url + "#part") == WebFailure(f"{said} for url: {url}#part")


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        (
            "deflate",
            lambda body: zlib.compress(body)[2:-4],
        ),  # as some servers send it, against the standard
        ("br", brotli.compress),
        ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
        ("identity", bytes),
    ],
)
def test_compressed_pages_are_decoded(
    pages: Any, fetcher: Fetcher, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    """Every offered encoding is decoded, including brotli, both whole and in chunks."""
    packed = pack("naïve ".encode() * 9)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    head = pages.answer(Content_Encoding=encoding, Transfer_Encoding="chunked").replace(
        b"Content-Length: 0\r\n", b""
    )
    whole = fetcher.fetch(pages.serve("/whole", pages.answer(packed, Content_Encoding=encoding)))
    assert whole == fetcher.fetch(pages.serve("/chunks", head + chunked)) == Page("naïve " * 9)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate"])
def test_damaged_compression_is_a_failure(pages: Any, fetcher: Fetcher, encoding: str) -> None:
    """A page that cannot be unpacked is a failure, not garbage."""
    fetched = fetcher.fetch(
        pages.serve("/", pages.answer(b"\xff\xfe not packed", Content_Encoding=encoding))
    )
    assert isinstance(fetched, WebFailure)
    assert f"content-encoding: {encoding}, but failed to decode it" in fetched.message


def test_redirects_are_followed(pages: Any, fetcher: Fetcher) -> None:
    """Relative and absolute targets lead on, and the fragment stays."""
    pages.serve("/a/b", pages.moved("../c?q=1"))
    pages.serve("/c?q=1", pages.moved(f"//127.0.0.1:{pages.port}/d"))
    url = pages.serve("/a/b", pages.moved("../c?q=1"))
    missing = f"http://127.0.0.1:{pages.port}/d#here"
    assert fetcher.fetch(url + "#here") == WebFailure(f"404 Client Error: Not Found for url: {missing}")


@pytest.mark.parametrize("target", ["ftp://example.org/x", "file:///etc/passwd", "javascript:alert(1)"])
def test_redirects_lead_to_http_only(pages: Any, fetcher: Fetcher, target: str) -> None:
    """URLs with other schemes are not fetched, neither directly nor after a redirect."""
    expected = WebFailure(f"No connection adapters were found for {target!r}")
    assert fetcher.fetch(pages.serve("/", pages.moved(target))) == expected
    assert fetcher.fetch(target) == expected


def test_cookies_live_as_long_as_a_fetch(pages: Any, fetcher: Fetcher) -> None:
    """A cookie set by a redirect is sent to its target, and forgotten by the next fetch."""
    pages.serve("/in", pages.answer(b"x"))
    url = pages.serve("/", pages.moved("/in", Set_Cookie="who=me; Path=/"))
    for _ in range(2):
        fetcher.fetch(url)
    sent = [any(line.startswith("Cookie: who=me") for line in request) for request in pages.asked]
    assert sent == [False, True, False, True]


def test_a_refused_connection_has_the_same_text_each_time(closed_port: int, fetcher: Fetcher) -> None:
    """The text is that of requests, without the address of an object."""
    said = (
        f"HTTPConnectionPool(host='127.0.0.1', port={closed_port}): Max retries exceeded with url: /x "
        f"(Caused by NewConnectionError(\"HTTPConnection(host='127.0.0.1', port={closed_port}): "
        'Failed to establish a new connection: [Errno 111] Connection refused"))'
    )
    url = f"http://127.0.0.1:{closed_port}/x"
    assert fetcher.fetch(url) == fetcher.fetch(url) == WebFailure(said)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http:///x", "Invalid URL 'http:///x': No host supplied"),
        ("http://host:99999/", "Failed to parse: http://host:99999/"),
        ("http://[::1/", "Failed to parse: '[::1' is not a valid host or port"),
        ("http://*.example/", "URL has an invalid label."),
        ("http://a..b/", "Failed to parse: 'a..b', label empty or too long"),
    ],
)
def test_invalid_addresses_are_failures(fetcher: Fetcher, url: str, said: str) -> None:
    """An invalid address is a failure with the text of requests."""
    assert fetcher.fetch(url) == WebFailure(said)


def test_a_truncated_page_is_a_failure(pages: Any, fetcher: Fetcher) -> None:
    """A page with fewer bytes than announced is a failure."""
    fetched = fetcher.fetch(pages.serve("/", pages.answer(b"12345", Content_Length="10")))
    said = "IncompleteRead(5 bytes read, 5 more expected)"
    assert fetched == WebFailure(f"('Connection broken: {said}', {said})")


def test_more_bytes_than_announced_are_not_read(pages: Any, fetcher: Fetcher) -> None:
    """A page ends at its announced length."""
    assert fetcher.fetch(pages.serve("/", pages.answer(b"12345", Content_Length="3"))) == Page("123")


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1"]
)
def test_a_reset_is_a_failure(fetcher: Fetcher, start: bytes) -> None:
    """A connection that is reset is a failure wherever it happens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def reset() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(start)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        thread = threading.Thread(target=reset)
        thread.start()
        fetched = fetcher.fetch(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        thread.join()
    assert isinstance(fetched, WebFailure)
    assert "Connection" in fetched.message


@pytest.mark.parametrize("said", [b"nonsense\r\n\r\n", b"", b"HTTP/1.1 xxx\r\n\r\n"])
def test_a_response_that_is_not_http_is_a_failure(pages: Any, fetcher: Fetcher, said: bytes) -> None:
    """A server with another protocol is a failure."""
    assert isinstance(fetcher.fetch(pages.serve("/", said)), WebFailure)


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "application/zip", "Video/MP4; codecs=x"])
def test_content_that_is_not_text_is_rejected_by_its_type(pages: Any, fetcher: Fetcher, kind: str) -> None:
    """Images, documents and archives are failures that name the type."""
    url = pages.serve("/", pages.answer(b"\x89PNG", kind=kind))
    bare = kind.partition(";")[0].lower()
    assert fetcher.fetch(url) == WebFailure(f"Unsupported content type: {bare} for url: {url}")


def test_content_that_is_not_text_is_rejected_by_its_bytes(pages: Any, fetcher: Fetcher) -> None:
    """A document with the type of a page is a failure as well."""
    url = pages.serve("/", pages.answer(b"%PDF-1.7 \0\1\2"))
    assert fetcher.fetch(url) == WebFailure(f"Unsupported content: binary data for url: {url}")


def test_a_fetcher_serves_several_threads(pages: Any, fetcher: Fetcher) -> None:
    """Parallel fetches do not affect each other."""
    urls = [pages.serve(f"/{number}", pages.answer(b"%d" % number)) for number in range(8)]
    fetched: dict[str, Page | WebFailure] = {}
    threads = [
        threading.Thread(target=lambda url=url: fetched.update({url: fetcher.fetch(url)})) for url in urls
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetched == {url: Page(str(number)) for number, url in enumerate(urls)}
