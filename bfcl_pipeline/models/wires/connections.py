"""How connections to an API are made: kept alive, TLS verified, over the proxies of the environment.

Also what it means if one cannot be made, or breaks. What is sent over it is `transport`.
"""

from __future__ import annotations

import os
import ssl
from types import SimpleNamespace
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from bfcl_pipeline.errors import AccessDenied, ConfigError, Malformed, ModelError, Transient

if TYPE_CHECKING:
    import aiohttp

KEEP_ALIVE_SECONDS = 4.0
"""How long an idle connection is kept: less than the 5 seconds after which common servers close theirs."""

_SHOWN = 200  # characters of what came instead of HTTP that a message repeats


def opened_session(scheme: str) -> aiohttp.ClientSession:
    """A session of the running event loop, for addresses of one scheme.

    It has no limits of its own, follows no cookies and unpacks nothing. A request given a namespace as
    `trace_request_ctx` has `reused` set in it if it goes over a connection that was kept alive.
    """
    import aiohttp

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


def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy that the environment names for an address. Raises ConfigError if it is of another kind.

    aiohttp's own reading of the environment starts a thread for each request, and sends what ~/.netrc says.
    """
    proxy = None if proxy_bypass(host) else getproxies().get(scheme)
    if proxy and not proxy.startswith(("http://", "https://")):
        kind = proxy.partition("://")[0] if "://" in proxy else "unknown"
        raise ConfigError(
            f"{scheme.upper()}_PROXY: expected an address that begins with http:// or https://; got one of "
            f"kind {kind!r}. Correct it, or set NO_PROXY={host} to go without."
        )
    return proxy or None


def connection_error(error: Exception, asked: str) -> ModelError:
    """What an error of aiohttp or the system means. asked: who was asked, as the message names it.

    The texts of errors that show a whole address, which may hold a password, are not told.
    """
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return AccessDenied(
            f"{asked}: its certificate is not accepted ({error}). Check the endpoint; for a certificate of "
            "your own, name its authority's file in SSL_CERT_FILE."
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
        return Malformed(f"{asked}: the answer is not HTTP ({_short(error.message)}).")
    return Transient(f"{asked}: the connection broke ({_short(str(error)) or type(error).__name__}).")


def _short(text: str) -> str:
    return " ".join(text.split())[:_SHOWN]


async def _note_reuse(_session: object, context: SimpleNamespace, _params: object) -> None:
    context.trace_request_ctx.reused = True


def _verifying() -> ssl.SSLContext:
    """TLS as the vendors' clients have it: the authorities of SSL_CERT_FILE, else those of certifi."""
    import certifi

    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        file = certifi.where()
    return ssl.create_default_context(cafile=file or None, capath=folder or None)
