"""A minimal HTTP/1.1 server for scripted servers on loopback: thousands of requests per second on part of a
core, and responses that violate the protocol.

Covers requests with a Content-Length, on keep-alive connections. The caller decides what is answered and
when. Not covered: chunked requests, a second request before the first is answered, TLS.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    target: str  # path and query
    body: bytes


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

    transport: asyncio.Transport

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
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
            method, target, _ = head[: head.find(b"\r\n")].decode("latin-1").split(" ", 2)
            self._handler.asked(self, Asked(method, target, body))

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
