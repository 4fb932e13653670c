"""A server of pages on this machine with scripted answers, byte for byte."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Pieces = Iterable[bytes]


@dataclass
class PageServer:
    """A server that answers each path with given bytes, or with pieces that are sent one by one.

    A path without a query is that of every query that has no answer of its own.
    """

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
def serving(context: ssl.SSLContext | None = None) -> Iterator[PageServer]:
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
            missing = server.answer(b"nothing here", "404 Not Found")
            answered = server.answers.get(path, server.answers.get(path.partition("?")[0], missing))
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
