"""Tests of the bounds on a fetch: servers that send too much, too slowly, or without an end."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import brotli
import pytest

from bfcl_pipeline.tools.web import Failure, Page
from bfcl_pipeline.web.fetching import Fetcher, FetchLimits


def test_redirects_end(pages: Any, fetcher: Fetcher) -> None:
    """A loop is a failure after ten of them."""
    assert fetcher.fetch(pages.serve("/", pages.moved("/"))) == Failure("Exceeded 10 redirects.")
    assert len(pages.asked) == 11


def test_silence_is_told_in_the_words_of_requests(pages: Any) -> None:
    """A server that says nothing is given up on after the time for reading."""

    def silent() -> Iterable[bytes]:
        pages.ended.wait(10)
        return ()

    fetcher = Fetcher(FetchLimits(read_seconds=0.05), allow_private=True)
    said = f"HTTPConnectionPool(host='127.0.0.1', port={pages.port}): Read timed out. (read timeout=0.05)"
    assert fetcher.fetch(pages.serve("/", silent)) == Failure(said)


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
def test_a_server_that_drips_is_given_up_on(pages: Any, start: bytes) -> None:
    """A byte now and then, in the headers or in the page, does not go on past the time for a fetch."""
    fetcher = Fetcher(FetchLimits(total_seconds=0.2), allow_private=True)
    url = pages.serve("/", pages.drip(start))
    assert fetcher.fetch(url) == Failure(f"Read timed out. (total timeout=0.2) for url: {url}")


def test_a_slow_resolver_is_given_up_on(pages: Any) -> None:
    """Looking up a name counts as well."""

    def lookup(*_: object) -> list[Any]:
        pages.ended.wait(10)
        return []

    fetched = Fetcher(FetchLimits(total_seconds=0.05), lookup=lookup).fetch("http://page.example/")
    assert fetched == Failure("Read timed out. (total timeout=0.05) for url: http://page.example/")


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"x" * 1000),
        (b"Transfer-Encoding: chunked\r\n", b"4\r\nxxxx\r\n" * 100),
        (b"Content-Encoding: deflate\r\n", b"\0\0\0\xff\xff" * 200),  # blocks with nothing in them
    ],
)
def test_endless_pages_are_cut_off(pages: Any, fetcher: Fetcher, head: bytes, piece: bytes) -> None:
    """What is received is bounded, whether it is a page, chunks or compressed nothings."""
    start = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n"
    url = pages.serve("/", lambda: iter([start, *repeat(piece, 1000)]))
    assert fetcher.fetch(url) == Failure(f"Content of more than 200,000 bytes for url: {url}")


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("br", brotli.compress), ("deflate", zlib.compress)]
)
def test_bombs_are_not_unpacked(
    pages: Any, fetcher: Fetcher, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    """Megabytes in a few kilobytes are given up on at the bound, without the memory they ask for."""
    url = pages.serve("/", pages.answer(pack(bytes(30_000_000)), Content_Encoding=encoding))
    tracemalloc.start()
    fetched = fetcher.fetch(url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fetched == Failure(f"Content of more than 300,000 bytes for url: {url}")
    assert peak < 5_000_000


def test_the_body_of_a_redirect_is_not_read(pages: Any, fetcher: Fetcher) -> None:
    """A redirect leads on at once, whatever follows its headers."""
    pages.serve("/in", pages.answer(b"x"))
    head = pages.moved("/in", Content_Length="1000000")
    assert fetcher.fetch(pages.serve("/", lambda: iter([head, *repeat(b"x" * 1000, 1000)]))) == Page("x")


def test_huge_headers_are_refused(pages: Any, fetcher: Fetcher) -> None:
    """Headers are bounded, beside the bound on all that is received."""
    url = pages.serve("/", pages.answer(b"x", X_Long="y" * 5_000))
    assert fetcher.fetch(url) == Failure(f"Headers of more than 4,000 bytes for url: {url}")


def test_a_long_failure_is_cut(pages: Any) -> None:
    """A server that explains itself at length does not fill the model's context."""
    fetched = Fetcher(allow_private=True).fetch(
        pages.serve("/", pages.answer(status="500 " + "why " * 9_000))
    )
    assert isinstance(fetched, Failure)
    assert len(fetched.message) == 4_000
