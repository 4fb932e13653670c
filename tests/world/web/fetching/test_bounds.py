"""The limits of a fetch: servers that send too much, too slowly, or endlessly."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import brotli
import pytest

from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.http_client import HttpLimits
from tests.support.proven_fetcher import ProvenFetcher as Fetcher


def test_redirects_end(pages: Any, fetcher: Fetcher) -> None:
    """A redirect loop is a failure after ten redirects."""
    assert fetcher.fetch(pages.serve("/", pages.moved("/"))) == WebFailure("Exceeded 10 redirects.")
    assert len(pages.asked) == 11


def test_silence_has_the_failure_text_of_requests(pages: Any) -> None:
    """A server that sends nothing is a failure after the read timeout."""

    def silent() -> Iterable[bytes]:
        pages.ended.wait(10)
        return ()

    fetcher = Fetcher(HttpLimits(read_seconds=0.05), allow_private=True)
    said = f"HTTPConnectionPool(host='127.0.0.1', port={pages.port}): Read timed out. (read timeout=0.05)"
    assert fetcher.fetch(pages.serve("/", silent)) == WebFailure(said)


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
def test_a_dripping_server_reaches_the_time_limit(pages: Any, start: bytes) -> None:
    """A byte now and then, in the headers or in the page, does not extend the fetch."""
    fetcher = Fetcher(HttpLimits(total_seconds=0.2), allow_private=True)
    url = pages.serve("/", pages.drip(start))
    assert fetcher.fetch(url) == WebFailure(f"Read timed out. (total timeout=0.2) for url: {url}")


def test_a_slow_resolver_reaches_the_time_limit(pages: Any) -> None:
    """The name lookup is part of the fetch."""

    def lookup(*_: object) -> list[Any]:
        pages.ended.wait(10)
        return []

    fetched = Fetcher(HttpLimits(total_seconds=0.05), lookup=lookup).fetch("http://page.example/")
    assert fetched == WebFailure("Read timed out. (total timeout=0.05) for url: http://page.example/")


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"x" * 1000),
        (b"Transfer-Encoding: chunked\r\n", b"4\r\nxxxx\r\n" * 100),
        (b"Content-Encoding: deflate\r\n", b"\0\0\0\xff\xff" * 200),  # empty blocks
    ],
)
def test_endless_pages_are_cut_off(pages: Any, fetcher: Fetcher, head: bytes, piece: bytes) -> None:
    """The received bytes are limited, for plain, chunked and compressed pages."""
    start = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n"
    url = pages.serve("/", lambda: iter([start, *repeat(piece, 1000)]))
    assert fetcher.fetch(url) == WebFailure(f"Content of more than 200,000 bytes for url: {url}")


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("br", brotli.compress), ("deflate", zlib.compress)]
)
def test_bombs_are_not_unpacked(
    pages: Any, fetcher: Fetcher, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    """Decompression ends at the limit, without allocating the full size."""
    url = pages.serve("/", pages.answer(pack(bytes(30_000_000)), Content_Encoding=encoding))
    tracemalloc.start()
    fetched = fetcher.fetch(url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fetched == WebFailure(f"Content of more than 300,000 bytes for url: {url}")
    assert peak < 5_000_000


def test_the_body_of_a_redirect_is_not_read(pages: Any, fetcher: Fetcher) -> None:
    """A redirect is followed after its headers, without reading its body."""
    pages.serve("/in", pages.answer(b"x"))
    head = pages.moved("/in", Content_Length="1000000")
    assert fetcher.fetch(pages.serve("/", lambda: iter([head, *repeat(b"x" * 1000, 1000)]))) == Page("x")


def test_huge_headers_are_refused(pages: Any, fetcher: Fetcher) -> None:
    """Headers have a separate size limit."""
    url = pages.serve("/", pages.answer(b"x", X_Long="y" * 5_000))
    assert fetcher.fetch(url) == WebFailure(f"Headers of more than 4,000 bytes for url: {url}")


def test_a_long_failure_is_cut(pages: Any) -> None:
    """A long explanation of the server does not fill the model's context."""
    fetched = Fetcher(allow_private=True).fetch(
        pages.serve("/", pages.answer(status="500 " + "why " * 9_000))
    )
    assert isinstance(fetched, WebFailure)
    assert len(fetched.message) == 4_000
