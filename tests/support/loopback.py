"""A server on loopback for tests of adapters: sends the given answers and keeps the requests."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.benchmark.records import Json, Request


@dataclass(frozen=True, slots=True)
class Received:
    """One request."""

    target: str  # path, or the complete URL if the server is used as a proxy
    headers: dict[str, str]  # names in lower case
    body: bytes
    connection: int  # the connections are numbered from 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)


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
    told = len(data) if length is None else length
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {told}", *headers]
    return Answer("\r\n".join(lines).encode() + b"\r\n\r\n" + data, ends=length is not None)


class Loopback:
    """Runs while its block does. The last of `answers` is repeated."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Received] = []
        self._answers = answers
        self._tls = tls
        self._connections = 0

    @property
    def endpoint(self) -> str:
        host, port = self._server.sockets[0].getsockname()
        return f"{'http' if self._tls is None else 'https'}://{host}:{port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection, self._connections = self._connections, self._connections + 1
        try:
            while (received := await _received(reader, connection)) is not None:
                given = self._answers[min(len(self.requests), len(self._answers) - 1)]
                self.requests.append(received)
                writer.write(given.data)
                await writer.drain()
                if given.ends:
                    break
        except ConnectionError:
            pass  # the client has disconnected
        finally:
            writer.close()


async def _received(reader: asyncio.StreamReader, connection: int) -> Received | None:
    """The next request; None if the connection ends before it is complete."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(head[0].split(" ")[1], headers, body, connection)


def exchanged(
    made: Callable[[str], Adapter], request: Request, answers: Sequence[Answer]
) -> tuple[Json, Loopback]:
    """Sends one request with the adapter that `made` builds for a server; returns the answer and that
    server."""

    async def run() -> tuple[Json, Loopback]:
        async with Loopback(*answers) as server:
            adapter = made(server.endpoint)
            try:
                return await adapter.send(adapter.body(request)), server
            finally:
                await adapter.close()

    return asyncio.run(run())
