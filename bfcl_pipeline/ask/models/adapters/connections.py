"""Connections to an API: kept alive, with verified TLS.

Also the ModelError for each failure of a connection. Requests are sent by `transport`.
"""

import os
import ssl
from collections.abc import Callable
from types import SimpleNamespace

import aiohttp

from bfcl_pipeline.ask.models.adapters.proxies import without_password
from bfcl_pipeline.base.errors import AccessDenied, Malformed, ModelError, NoConnection, Transient

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
    import certifi

    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        file = certifi.where()
    return ssl.create_default_context(cafile=file or None, capath=folder or None)
