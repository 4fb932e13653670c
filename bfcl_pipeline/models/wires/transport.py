"""The connection under the vendors' clients: one request out, one whole answer or an error of ours back.

Works for httpx and httpx2 alike, of which it takes the request's own module; the connection itself is
aiohttp's, at a quarter of the work. Covers bounds on the size of an answer, TLS, the proxies that the
environment names, kept-alive connections, and every failure below and of HTTP, which is raised as
`errors` has it. Not covered: time limits, limits on requests in flight and attempts, which are the
scheduler's; and what an answer says, which is the adapters'. Redirects are refused: they would carry a key
elsewhere.
"""

from __future__ import annotations

import importlib
import io
import os
import ssl
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from urllib.request import getproxies, proxy_bypass

from bfcl_pipeline.errors import AccessDenied, ConfigError, Malformed, ModelError, Transient
from bfcl_pipeline.models.wires.status_errors import status_error

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 16 * 2**20
"""Bytes that an answer may have, as it comes over the wire and as it unpacks."""

KEEP_ALIVE_SECONDS = 4.0
"""How long an idle connection is kept: less than the 5 seconds after which common servers close theirs."""

_PAYLOAD_BYTES = 2**20
"""aiohttp sends longer bodies piece by piece, and warns if they are given to it as bytes."""

_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
_SHORTEST_KEY = 8  # characters; a shorter one is a placeholder, and blotting it out would damage answers
_BLOTTED = b"[key]"

_Headers: TypeAlias = list[tuple[str, str]]


class Transport:
    """An asynchronous transport for httpx and httpx2, made for one model and used in one event loop.

    asked: who is asked, as messages of errors name it.
    """

    def __init__(self, asked: str) -> None:
        self._asked = asked
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    async def handle_async_request(self, request: Any) -> Any:
        """Sends `request`; returns a response of its module, with its content read.

        Raises ModelError of the type that fits, for every status but 2xx too. Clients wrap it in an error
        of their own, of which `own_error` gets it back.
        """
        import aiohttp

        body = await request.aread()
        sent = request.headers.multi_items()
        try:
            status, headers, content = await self._exchange(request, sent, body)
        except (aiohttp.ClientError, aiohttp.http_exceptions.HttpProcessingError, OSError) as error:
            raise _connection_error(error, self._asked) from error
        content = _without_key(self._unpacked(content, headers.get("content-encoding", "")), sent)
        if not 200 <= status < 300:
            raise status_error(status, headers, content.decode("utf-8", "replace"), self._asked)
        told = {"content-type": headers.get("content-type", "")}
        response: Any = importlib.import_module(type(request).__module__).Response
        return response(status, headers=told, content=content)

    async def aclose(self) -> None:
        """Closes all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def _exchange(self, request: Any, sent: _Headers, body: bytes) -> tuple[int, Any, bytes]:
        """Status, headers and content, which is bounded but as it came."""
        response = await self._answered(request, sent, body)
        async with response:
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

    async def _answered(self, request: Any, sent: _Headers, body: bytes) -> aiohttp.ClientResponse:
        """The head of the answer.

        A kept-alive connection that the server closes at the moment it is used says nothing about the
        request: it is sent once more.
        """
        import aiohttp

        fate = SimpleNamespace(reused=False)
        try:
            return await self._send(request, sent, body, fate)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if not fate.reused:
                raise
        return await self._send(request, sent, body, SimpleNamespace(reused=False))

    async def _send(
        self, request: Any, sent: _Headers, body: bytes, fate: SimpleNamespace
    ) -> aiohttp.ClientResponse:
        from yarl import URL

        url = request.url
        headers = [item for item in sent if item[0] not in ("accept-encoding", "connection")]
        headers.append(
            ("accept-encoding", "identity")
        )  # answers are short: packing costs more than it saves
        return await self._connections(url.scheme).request(
            request.method,
            URL(str(url), encoded=True),
            data=body if len(body) <= _PAYLOAD_BYTES else io.BytesIO(body),
            headers=headers,
            allow_redirects=False,
            proxy=self._proxy(url.scheme, url.host),
            trace_request_ctx=fate,
        )

    def _connections(self, scheme: str) -> aiohttp.ClientSession:
        """The session, opened with the first request: it belongs to the event loop it is opened in."""
        import aiohttp

        if self._session is None:
            tracing = aiohttp.TraceConfig()
            tracing.on_connection_reuseconn.append(_note_reuse)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0,
                    keepalive_timeout=KEEP_ALIVE_SECONDS,
                    ssl=_verifying() if scheme == "https" else True,
                ),
                timeout=aiohttp.ClientTimeout(),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trace_configs=[tracing],
            )
        return self._session

    def _proxy(self, scheme: str, host: str) -> str | None:
        # aiohttp's own reading of the environment starts a thread for each request, and sends what
        # ~/.netrc holds.
        if scheme not in self._proxies:
            proxy = None if proxy_bypass(host) else getproxies().get(scheme)
            if proxy and not proxy.startswith(("http://", "https://")):
                kind = proxy.partition("://")[0]
                raise ConfigError(
                    f"{self._asked}: the environment names a proxy of kind {kind!r} for {scheme}; expected "
                    f"one of http or https. Set {scheme.upper()}_PROXY, or NO_PROXY={host} to go without."
                )
            self._proxies[scheme] = proxy or None
        return self._proxies[scheme]

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


def client_over(base: type[Any], asked: str) -> Any:
    """A client of the kind `base`, of httpx or httpx2, over a transport of its own.

    Its requests go to the transport directly: authentication, cookies, redirects and hooks of the client,
    none of which an API needs, take as long as the connection itself.
    """
    transport = Transport(asked)

    class Client(base):  # type: ignore[misc]
        async def send(self, request: Any, **_options: Any) -> Any:
            response = await transport.handle_async_request(request)
            response.request = request
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


async def _note_reuse(_session: object, context: SimpleNamespace, _params: object) -> None:
    context.trace_request_ctx.reused = True


def _connection_error(error: Exception, asked: str) -> ModelError:
    import aiohttp

    # The texts of errors that show a whole address, which may hold a password, are not told.
    if isinstance(error, (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError)):
        return AccessDenied(
            f"{asked}: no secure connection ({error}). Check the endpoint; for a certificate of your own, "
            "name its authority's file in SSL_CERT_FILE."
        )
    if isinstance(error, aiohttp.InvalidURL):
        return AccessDenied(f"{asked}: the endpoint is not an address. Correct it in the model's row.")
    if isinstance(error, aiohttp.ClientConnectorError):
        return Transient(f"{asked}: no connection ({error}). Check the endpoint and the network.")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return AccessDenied(
            f"{asked}: the proxy refuses the connection with HTTP {error.status}. Check HTTPS_PROXY."
        )
    if isinstance(error, (aiohttp.ClientResponseError, aiohttp.http_exceptions.HttpProcessingError)):
        return Malformed(f"{asked}: the answer is not HTTP ({error.message}).")
    return Transient(f"{asked}: the connection broke ({str(error) or type(error).__name__}).")


def _verifying() -> ssl.SSLContext:
    """TLS as the vendors' clients have it: the authorities of SSL_CERT_FILE, else those of certifi."""
    import certifi

    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        file = certifi.where()
    return ssl.create_default_context(cafile=file or None, capath=folder or None)


def _without_key(content: bytes, sent: _Headers) -> bytes:
    """`content` with the key of the request blotted out, where a server repeats it."""
    for name, value in sent:
        if name in _KEY_HEADERS:
            key = value.removeprefix("Bearer ").encode()
            if len(key) >= _SHORTEST_KEY:
                content = content.replace(key, _BLOTTED)
    return content
