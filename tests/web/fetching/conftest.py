"""Local servers with scripted answers, byte for byte, and a fetcher for them."""

from __future__ import annotations

import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from bfcl_pipeline.web.fetcher import FetchLimits
from tests.support.proven_fetcher import ProvenFetcher as Fetcher

Pieces = Iterable[bytes]


class Names:
    """A resolver for only these names (_ for a dot); addresses are resolved by the system."""

    def __init__(self, **known: str) -> None:
        self._known = {name.replace("_", "."): address for name, address in known.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *rest: int) -> list[Any]:
        """As `socket.getaddrinfo`."""
        self.asked.append(host)
        if host[0].isalpha() and host not in self._known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return socket.getaddrinfo(self._known.get(host, host), port, *rest)


@dataclass
class PageServer:
    """A server that answers each path with given bytes, or with pieces that are sent one by one."""

    port: int
    answers: dict[str, bytes | Callable[[], Pieces]] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)  # the lines of each request
    ended: threading.Event = field(default_factory=threading.Event)  # the test is over

    def serve(self, path: str, answer: bytes | Callable[[], Pieces]) -> str:
        """Sets the answer under `path`. Returns its address."""
        self.answers[path] = answer
        return f"http://127.0.0.1:{self.port}{path}"

    def drip(self, start: bytes) -> Callable[[], Pieces]:
        """`start`, and then a byte now and then until the test ends."""

        def pieces() -> Pieces:
            yield start
            while not self.ended.wait(0.01):
                yield b"x"

        return pieces

    @staticmethod
    def answer(body: bytes = b"", status: str = "200 OK", kind: str = "text/html", **headers: str) -> bytes:
        """A complete response; given headers replace the default ones."""
        fields = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode() + body

    @staticmethod
    def moved(target: str, **headers: str) -> bytes:
        """A redirect."""
        return PageServer.answer(b"", "302 Found", "text/html", Location=target, **headers)


@contextmanager
def _serving(context: ssl.SSLContext | None = None) -> Iterator[PageServer]:
    """A server of pages, of TLS if a context is given."""

    class Connection(socketserver.StreamRequestHandler):
        timeout = 10

        def setup(self) -> None:
            if context:
                self.request = context.wrap_socket(self.request, server_side=True)
            super().setup()

        def handle(self) -> None:
            lines = []
            while line := self.rfile.readline().decode("latin-1").strip():
                lines.append(line)
            server.asked.append(lines)
            path = lines[0].split()[1]
            answered = server.answers.get(path, server.answer(b"nothing here", "404 Not Found"))
            for piece in [answered] if isinstance(answered, bytes) else answered():
                self.wfile.write(piece)

        def finish(self) -> None:
            with suppress(OSError):
                super().finish()
            self.request.close()

    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, *_: Any) -> None:
            """Clients disconnect early here, as they should."""

    with Server(("127.0.0.1", 0), Connection) as listening:
        server = PageServer(listening.server_address[1])
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            listening.shutdown()
            thread.join()


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with _serving() as server:
        yield server


@pytest.fixture
def fetcher() -> Fetcher:
    """A fetcher for local servers, with small limits."""
    return Fetcher(
        FetchLimits(received_bytes=200_000, page_bytes=300_000, head_bytes=4_000), allow_private=True
    )


@pytest.fixture
def serving() -> Callable[[ssl.SSLContext | None], AbstractContextManager[PageServer]]:
    """A server of pages, of TLS if a context is given."""
    return _serving


@pytest.fixture
def names() -> type[Names]:
    """A resolver of a few names."""
    return Names
