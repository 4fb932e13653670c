"""The connection under the vendors' clients: one request out, one whole answer or an error of ours back.

Works for httpx and httpx2 alike, of which it takes the request's own module; the connection itself is
aiohttp's, at a quarter of the work. Covers bounds on the size of an answer, and every failure of the
connection and of HTTP, which is raised as `errors` has it. Not covered: time limits, limits on requests in
flight and attempts, which are the scheduler's; and what an answer says, which is the adapters'. Redirects
are refused: they would carry a key elsewhere.
"""

from __future__ import annotations

import importlib
import io
import zlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from bfcl_pipeline.errors import ConfigError, Malformed, ModelError, Transient
from bfcl_pipeline.models.wires.connections import connection_error, opened_session, proxy_for
from bfcl_pipeline.models.wires.status_errors import status_error

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 16 * 2**20
"""Bytes that an answer may have, as it comes over the wire and as it unpacks."""

_PIECEWISE = 2**20
"""Bytes above which aiohttp wants a body as a file, to be sent piece by piece."""

_NOT_SENT = ("accept-encoding", "connection")
_AS_IT_IS = ("accept-encoding", "identity")  # answers are short: to pack them costs more than it saves

_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
_SHORTEST_KEY = 8  # characters; a shorter one is a placeholder, and blotting it out would damage answers
_BLOTTED = b"[key]"

_Headers: TypeAlias = list[tuple[str, str]]


class Transport:
    """An asynchronous transport for httpx and httpx2, made for one model and used in one event loop.

    asked: who is asked, as messages of errors name it.
    """

    def __init__(self, asked: str) -> None:
        importlib.import_module("aiohttp")  # takes a moment that no request shall be charged with
        self._asked = asked
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    async def handle_async_request(self, request: Any) -> Any:
        """Sends `request`; returns a response of its module, with its content read.

        Raises ModelError of the type that fits, for every status but 2xx too. Clients wrap it in an error
        of their own, of which `own_error` gets it back.
        """
        import aiohttp

        body = await request.aread()
        sent: _Headers = request.headers.multi_items()
        headers = [*(item for item in sent if item[0] not in _NOT_SENT), _AS_IT_IS]
        try:
            status, told, content = await self._exchange(request, headers, body)
        except (aiohttp.ClientError, aiohttp.http_exceptions.HttpProcessingError, OSError) as error:
            raise connection_error(error, self._asked) from error
        content = _without_key(self._unpacked(content, told.get("content-encoding", "")), sent)
        if not 200 <= status < 300:
            raise status_error(status, told, content.decode("utf-8", "replace"), self._asked)
        response: Any = importlib.import_module(type(request).__module__).Response
        return response(
            status, headers={"content-type": told.get("content-type", "")}, content=content, request=request
        )

    async def aclose(self) -> None:
        """Closes all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def _exchange(
        self, request: Any, headers: _Headers, body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content of the answer; the content is bounded, and as it came."""
        async with await self._answered(request, headers, body) as response:
            length = response.content_length
            if length is not None and length > MOST_BYTES:
                response.close()
                raise self._too_long()
            content = bytearray()
            async for piece in response.content.iter_any():
                content += piece
                if len(content) > MOST_BYTES:
                    response.close()
                    raise self._too_long()
            return response.status, response.headers, bytes(content)

    async def _answered(self, request: Any, headers: _Headers, body: bytes) -> aiohttp.ClientResponse:
        """The answer, of which the head has come.

        A kept-alive connection that the server closes at the moment it is used says nothing about the
        request: it is sent once more.
        """
        import aiohttp

        fate = SimpleNamespace(reused=False)
        try:
            return await self._send(request, headers, body, fate)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if not fate.reused:
                raise
        return await self._send(request, headers, body, fate)

    async def _send(
        self, request: Any, headers: _Headers, body: bytes, fate: SimpleNamespace
    ) -> aiohttp.ClientResponse:
        from yarl import URL

        if self._session is None:
            # Opened with the first request: it belongs to the event loop it is opened in.
            self._proxy = proxy_for(request.url.scheme, request.url.host)
            self._session = opened_session(request.url.scheme)
        return await self._session.request(
            request.method,
            URL(str(request.url), encoded=True),
            data=body if len(body) <= _PIECEWISE else io.BytesIO(body),
            headers=headers,
            allow_redirects=False,
            proxy=self._proxy,
            trace_request_ctx=fate,
        )

    def _unpacked(self, content: bytes, packing: str) -> bytes:
        packing = packing.strip().lower()
        if packing in ("", "identity"):
            return content
        if packing not in ("gzip", "x-gzip", "deflate"):
            raise Malformed(f"{self._asked}: expected an answer that is not packed; got {packing[:40]!r}.")
        engine = zlib.decompressobj(zlib.MAX_WBITS + 32)
        try:
            plain = engine.decompress(content, MOST_BYTES + 1)
        except zlib.error as error:
            raise Malformed(f"{self._asked}: the answer cannot be unpacked ({error}).") from error
        if len(plain) > MOST_BYTES:
            raise self._too_long()
        if not engine.eof:
            raise Malformed(f"{self._asked}: the answer is packed and breaks off.")
        return plain

    def _too_long(self) -> Malformed:
        return Malformed(f"{self._asked}: the answer has more than {MOST_BYTES:,} bytes.")


def client_over(base: type[Any], asked: str, encoding: str | None = None) -> Any:
    """A client of the kind `base`, of httpx or httpx2, over a transport of its own.

    Its requests go to the transport directly: authentication, cookies, redirects and hooks of the client,
    none of which an API needs, take as long as the connection itself. encoding: in which the text of an
    answer is read, where that is not to be what the answer says or UTF-8.
    """
    transport = Transport(asked)

    class Client(base):  # type: ignore[misc]
        async def send(self, request: Any, **_options: Any) -> Any:
            response = await transport.handle_async_request(request)
            if encoding is not None:
                response.encoding = encoding
            return response

    return Client(transport=transport)


def own_error(error: BaseException, asked: str) -> Exception:
    """The error of ours that a vendor's client wrapped into `error`; else a Transient that tells of it."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, (ModelError, ConfigError)):
            return inner
        inner = inner.__cause__ or inner.__context__
    return Transient(f"{asked}: {type(error).__name__}: {error}")


def _without_key(content: bytes, sent: _Headers) -> bytes:
    """`content` with the key of the request blotted out, where a server repeats it."""
    for name, value in sent:
        if name in _KEY_HEADERS:
            key = value.removeprefix("Bearer ").encode()
            if len(key) >= _SHORTEST_KEY:
                content = content.replace(key, _BLOTTED)
    return content
