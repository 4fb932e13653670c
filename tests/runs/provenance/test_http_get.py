"""Small requests end in time, however slowly a server answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from socketserver import BaseRequestHandler, TCPServer

import pytest

from bfcl_pipeline.runs.provenance.http_get import http_get

HEAD = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def serving(start: bytes, piece: bytes = b"") -> Iterator[str]:
    """The URL of a server that sends `start` and then `piece` again and again, until the client leaves."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.recv(65_536)
                self.request.sendall(start)
                while piece:
                    self.request.sendall(piece)
                    ended.wait(0.01)

    ended = threading.Event()
    with TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/version"
        thread.join()


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 2", b"0"),
        (HEAD + b"X: ", b"x"),
        (HEAD, b"X: x\r\n"),
        (HEAD + b"\r\n", b" "),
        (HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    ],
    ids=["status", "header", "headers", "body", "body of a length", "chunks"],
)
def test_a_trickle_ends_at_the_time_limit(start: bytes, piece: bytes) -> None:
    """The limit is that of the whole request, not of the wait for each piece; a part is no answer."""
    with serving(start, piece) as url, pytest.raises((OSError, HTTPException, ValueError)):
        http_get(url, 0.1, 10**6)


def test_a_small_answer_is_read_whole() -> None:
    """Other statuses and longer answers are none."""
    for start, content in (
        (HEAD + b"\r\nsmall", b"small"),
        (HEAD + b"\r\nlonger", None),
        (b"HTTP/1.1 404 Not Found\r\n\r\nsmall", None),
    ):
        with serving(start) as url:
            assert http_get(url, 60, 5) == content
