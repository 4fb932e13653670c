"""A scripted HTTP/1.1 server on loopback for every API of models: thousands of requests per second on part
of a core, and responses that violate the protocol.

`serve` gives scripted answers and keeps the requests; other handlers decide themselves what is answered,
and when (`chat_server`, `faulty_server`). Covers requests with a Content-Length, on keep-alive connections.
Not covered: chunked requests, a second request before the first is answered.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    target: str  # path and query, or the complete URL if the server is used as a proxy
    body: bytes
    head: str  # the lines of its headers
    connection: int  # the connections are numbered from 0

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by names in lower case."""
        pairs = (line.partition(":") for line in self.head.split("\r\n"))
        return {name.lower(): value.strip() for name, _, value in pairs}

    @property
    def json(self) -> Any:
        """The body as JSON values; None without a body."""
        return json.loads(self.body or b"null")


class Handler(Protocol):
    """Answers one request."""

    def came(self, connection: Connection) -> None:
        """A client has connected."""

    def asked(self, connection: Connection, asked: Asked) -> None:
        """A client has sent a request; the answer is written to `connection`, now or later."""

    def left(self, connection: Connection) -> None:
        """A client, or the server, has closed the connection."""


class Connection(asyncio.Protocol):
    """One connection of one client."""

    transport: asyncio.Transport = None  # type: ignore[assignment]  # until a handshake succeeds

    def __init__(self, handler: Handler, number: int = 0) -> None:
        self._handler = handler
        self._number = number
        self._received = bytearray()
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._handler.came(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end])
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < whole:
                return
            body = bytes(self._received[end + 4 : whole])
            del self._received[:whole]
            first, _, lines = head.decode("latin-1").partition("\r\n")
            method, target, _ = first.split(" ", 2)
            self._handler.asked(self, Asked(method, target, body, lines, self._number))

    def connection_lost(self, exc: Exception | None) -> None:
        self._writable.set()
        self._handler.left(self)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def write(self, data: bytes) -> None:
        """Sends `data`, unless the client has disconnected."""
        if not self.transport.is_closing():
            self.transport.write(data)

    async def write_pieces(self, pieces: Iterable[bytes], seconds_between: float = 0.0) -> None:
        """Sends the pieces in order, as fast as the client reads, with at least that pause between two."""
        for piece in pieces:
            if self.transport.is_closing():
                return
            self.transport.write(piece)
            await self._writable.wait()
            await asyncio.sleep(seconds_between)

    def close(self) -> None:
        """Ends the connection when all is sent."""
        self.transport.close()

    def reset(self) -> None:
        """Aborts the connection, as a crashed peer does: the client sees a reset."""
        if self.transport.is_closing():
            return
        connected = self.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self.transport.abort()


def response(
    body: bytes,
    status: str = "200 OK",
    headers: Iterable[str] = (),
    kind: str = "application/json",
    length: int | None = None,
) -> bytes:
    """A whole answer. `length`: a Content-Length that replaces the right one."""
    told = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {told}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@contextmanager
def running(handler: Handler, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port of a server in a thread, which runs until the block is left."""
    made: list[Connection] = []
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = Future()

    def connection() -> Connection:
        made.append(Connection(handler, len(made)))
        return made[-1]

    async def main() -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        async with await loop.create_server(connection, "127.0.0.1", 0, backlog=1024, ssl=tls) as listening:
            started.set_result((loop, ended, listening.sockets[0].getsockname()[1]))
            await ended.wait()
            for each in made:
                if each.transport is not None:
                    each.transport.abort()
            await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    loop, ended, port = started.result()
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of an answer, and whether the connection is closed after them."""

    data: bytes
    ends: bool = False


CLOSED = Answer(b"", ends=True)
"""The connection is closed without an answer."""


def answer(
    body: Any, status: str = "200 OK", headers: Iterable[str] = (), length: int | None = None
) -> Answer:
    """A whole answer; other values than bytes are sent as JSON. length: a wrong Content-Length."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(response(data, status, headers, length=length), ends=length is not None)


NOT_FOUND = answer(b"{}", "404 Not Found")

Plan: TypeAlias = Answer | Callable[[Any], Any]
"""An answer, or a function of the request's JSON values that gives one, or the JSON values of one."""


class Scripted:
    """A running server, and the requests to it."""

    def __init__(self, answers: tuple[Plan, ...], at: Mapping[str, Plan], scheme: str) -> None:
        self.requests: list[Asked] = []
        self.port = 0
        self._answers, self._at, self._scheme = answers, at, scheme
        self._given = 0  # answers that are not for one path

    @property
    def endpoint(self) -> str:
        """The base URL, for a model's row."""
        return f"{self._scheme}://127.0.0.1:{self.port}/v1"

    def came(self, connection: Connection) -> None: ...

    def left(self, connection: Connection) -> None: ...

    def asked(self, connection: Connection, asked: Asked) -> None:
        self.requests.append(asked)
        plan = next((plan for end, plan in self._at.items() if asked.target.endswith(end)), None)
        if plan is None:
            plan = self._answers[min(self._given, len(self._answers) - 1)] if self._answers else NOT_FOUND
            self._given += 1
        given = plan if isinstance(plan, Answer) else plan(asked.json)
        given = given if isinstance(given, Answer) else answer(given)
        connection.write(given.data)
        if given.ends:
            connection.close()


@contextmanager
def serve(
    *answers: Plan, at: Mapping[str, Plan] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[Scripted]:
    """A server that gives the answers one after another; the last is repeated.

    at: what is answered instead at targets with these ends.
    """
    server = Scripted(answers, at or {}, "http" if tls is None else "https")
    with running(server, tls) as server.port:
        yield server
