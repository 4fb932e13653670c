"""HTTP requests to one model's API: one request out, one complete answer or a ModelError back.

Covers limits on the size of a request and of an answer, compressed answers, redaction of the key, and every
failure of the connection and of HTTP. Redirects are refused: they would send a key to another server. Not
covered: time limits, concurrency and further attempts (the scheduler, `generation.remote`), and the meaning
of an answer (the adapters).
"""

import io
import os
import ssl
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from urllib.parse import urlsplit

import aiohttp
import certifi

from bfcl_pipeline.ask.models.adapters.proxies import proxy_for, without_password
from bfcl_pipeline.ask.models.adapters.response_validator import MAX_ANSWER_BYTES
from bfcl_pipeline.ask.models.adapters.status_errors import status_error
from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    Malformed,
    ModelError,
    NoConnection,
    Transient,
)
from bfcl_pipeline.base.secrets import SHORTEST, Redactor

KEEP_ALIVE_SECONDS = 4.0
"""Time limit of an idle connection: less than the 5 seconds after which common servers close it."""

_SHOWN = 200  # characters of an invalid answer in an error message


def opened_session(scheme: str) -> aiohttp.ClientSession:
    """A session of the running event loop, for addresses of one scheme.

    It has no limits, stores no cookies and decompresses nothing. `reused` is set in the namespace that a
    request has as `trace_request_ctx` if the request uses a connection that was kept alive.
    """
    tracing = aiohttp.TraceConfig()
    tracing.on_connection_reuseconn.append(_note_reuse)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS, ssl=_verifying() if scheme == "https" else True
        ),
        timeout=aiohttp.ClientTimeout(),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trace_configs=[tracing],
    )


def connection_error(
    error: Exception, target: str, redact: Callable[[str], str], proxy: str | None = None
) -> ModelError:
    """The ModelError for an error of aiohttp or the system.

    Args:
        error: of the connection. Its text is left out if it may contain an address with a password.
        target: name and endpoint of the model, for the message.
        redact: removes keys from what the server sent.
        proxy: through which the connection goes, if any; the message names it without its password.
    """
    through = f" through the proxy {without_password(proxy)}" if proxy else ""
    remedy = "HTTP_PROXY, HTTPS_PROXY and NO_PROXY" if proxy else "the endpoint and the network"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return AccessDenied(
            f"{target}: its certificate is not accepted ({error}). Check the endpoint; for your own "
            "certificate, set SSL_CERT_FILE to the file of its authority."
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return NoConnection(f"{target}: no connection{through} ({error}). Check {remedy}.")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return AccessDenied(
            f"{target}: no connection{through}, which answers with HTTP {error.status}. Check {remedy}.",
            error.status,
        )
    if isinstance(error, (aiohttp.ClientResponseError, aiohttp.http_exceptions.HttpProcessingError)):
        return Malformed(f"{target}: the answer is not HTTP ({_short(redact(error.message))}).")
    if isinstance(error, ValueError):  # aiohttp.InvalidURL among them; its text may hold a password
        return AccessDenied(
            f"{target}: the endpoint is not a valid URL, or the key not a valid header. Correct the "
            "model's row."
        )
    return Transient(
        f"{target}: the connection{through} broke ({_short(redact(str(error))) or type(error).__name__})."
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:_SHOWN]


async def _note_reuse(_session: object, context: SimpleNamespace, _params: object) -> None:
    context.trace_request_ctx.reused = True


def _verifying() -> ssl.SSLContext:
    """TLS with the authorities in SSL_CERT_FILE and SSL_CERT_DIR, or else those of certifi."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        file = certifi.where()
    return ssl.create_default_context(cafile=file or None, capath=folder or None)


MAX_REQUEST_BYTES = 64 * 2**20
"""Limit on the size of a request: longer than any context, and answers of the greatest size add up."""

_CHUNKED_BYTES = 2**20
"""aiohttp sends a longer body in chunks only if it is given as a file."""

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # answers are short: compressing them costs more time than it saves
    "Content-Type": "application/json",
    "User-Agent": f"bfcl-pipeline/{__version__}",
}

_NO_HEADERS: Mapping[str, str] = {}

_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
_KEY_MARKER = "[key]"


class Transport:
    """Connections to the API of one model, used in one event loop.

    Args:
        endpoint: the URL before every path.
        headers: sent with every request, besides those of this module.
        target: names the model in error messages.
    """

    def __init__(self, endpoint: str, headers: Mapping[str, str], target: str) -> None:
        self._endpoint = endpoint
        self._headers = {**_HEADERS, **headers}
        self._target = target
        keys = (
            value.removeprefix("Bearer ") for name, value in headers.items() if name.lower() in _KEY_HEADERS
        )
        self._redactor = Redactor(keys, _KEY_MARKER, shortest=SHORTEST)
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    async def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = _NO_HEADERS
    ) -> bytes:
        """Sends one request; returns the content of the answer, with the key redacted.

        Raises ModelError of the type that fits, also for every status but 2xx, and ConfigError for a proxy
        that cannot be used. A body above MAX_REQUEST_BYTES is not sent: ContextOverflow.
        """
        if len(body) > MAX_REQUEST_BYTES:
            raise ContextOverflow(
                f"{self._target}: the request has {len(body) / 2**20:.0f} MiB and was not sent; at most "
                f"{MAX_REQUEST_BYTES // 2**20} MiB are, and no model has a longer context."
            )
        try:
            async with await self._response(method, path, body, {**self._headers, **headers}) as response:
                content = await self._content(response)
        except (
            aiohttp.ClientError,
            aiohttp.http_exceptions.HttpProcessingError,
            OSError,
            ValueError,
        ) as error:
            raise connection_error(error, self._target, self._redactor.text, self._proxy) from error
        content = self._decompressed(content, response.headers.get("content-encoding", ""))
        content = self._redactor.content(content)
        if not 200 <= response.status < 300:
            text = content.decode("utf-8", "replace")
            received = {name: self._redactor.text(value) for name, value in response.headers.items()}
            raise status_error(response.status, received, text, self._target)
        return content

    async def close(self) -> None:
        """Closes all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _content(self, response: aiohttp.ClientResponse) -> bytes:
        """The content as transferred, read up to the limit."""
        length = response.content_length
        if length is not None and length > MAX_ANSWER_BYTES:
            response.close()
            raise self._too_long()
        content = bytearray()
        async for piece in response.content.iter_any():
            content += piece
            if len(content) > MAX_ANSWER_BYTES:
                response.close()
                raise self._too_long()
        return bytes(content)

    async def _response(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> aiohttp.ClientResponse:
        """The answer's head.

        The request is sent a second time if a kept-alive connection was closed by the server in the moment
        of its reuse: that is not a failure of this request.
        """
        if self._session is None:
            # Opened with the first request: a session belongs to the event loop in which it is opened.
            url = urlsplit(self._endpoint)
            self._proxy = proxy_for(url.scheme, url.hostname or "")
            self._session = opened_session(url.scheme)
        connection = SimpleNamespace(reused=False)
        request = partial(
            self._session.request,
            method,
            f"{self._endpoint}{path}",
            headers=headers,
            allow_redirects=False,
            proxy=self._proxy,
            trace_request_ctx=connection,
        )
        try:
            return await request(data=_data(body))
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if not connection.reused:
                raise
        return await request(data=_data(body))

    def _decompressed(self, content: bytes, encoding: str) -> bytes:
        encoding = self._redactor.text(encoding).strip().lower()
        if encoding in ("", "identity"):
            return content
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise Malformed(
                f"{self._target}: expected an answer without compression; it has {encoding[:40]!r}."
            )
        engine = zlib.decompressobj(zlib.MAX_WBITS + 32)
        try:
            plain = engine.decompress(content, MAX_ANSWER_BYTES + 1)
        except zlib.error as error:
            raise Malformed(f"{self._target}: the answer cannot be decompressed ({error}).") from error
        if len(plain) > MAX_ANSWER_BYTES:
            raise self._too_long()
        if not engine.eof:
            raise Malformed(f"{self._target}: the compressed answer is incomplete.")
        return plain

    def _too_long(self) -> Malformed:
        return Malformed(f"{self._target}: the answer has more than {MAX_ANSWER_BYTES:,} bytes.")


def _data(body: bytes) -> bytes | io.BytesIO | None:
    return body or None if len(body) <= _CHUNKED_BYTES else io.BytesIO(body)
