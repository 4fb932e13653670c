"""Fetches pages over HTTP as the release's web tool does, within bounds.

The headers, the timeout of 20 seconds and the failure texts (the messages of `requests`) are the release's.
Covers redirects, encodings, charsets, and limits on time and bytes; extracting a page's text is elsewhere.
Compressed pages are decoded (the release accepts brotli and, without the library, shows the bytes), and
content that is not text is a failure. The failure of a page is an outcome; a WebError means that no page
can be fetched at all (names cannot be looked up, a proxy is down).

Only http and https, on any port. By default only addresses of the public internet, checked at each hop,
and no proxy, so that the result does not depend on the machine. With `trust_env` the proxies of
HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY and the certificates of REQUESTS_CA_BUNDLE or
CURL_CA_BUNDLE are used, for clusters without direct internet access; then the proxy looks up names, and
only literal addresses are refused here. Cookies are kept for one fetch only; .netrc is not read.
"""

import os
import re
import socket
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from urllib.parse import urljoin, urlsplit, urlunsplit

from requests import PreparedRequest, Request, RequestException, Response, Session
from requests.exceptions import ProxyError
from requests.structures import CaseInsensitiveDict
from requests.utils import get_environ_proxies, requote_uri, select_proxy
from urllib3.exceptions import HTTPError

from bfcl_pipeline.errors import WebError
from bfcl_pipeline.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.web.addresses import AddressRefused, Lookup, refuse_written
from bfcl_pipeline.web.bounded import OutOfTime, check_head, in_time, read_body
from bfcl_pipeline.web.content import decoded, is_text_type, looks_binary, media_type
from bfcl_pipeline.web.evidence.tape import tape_session
from bfcl_pipeline.web.transport import FetchAdapter, FetchConnections, TooMuch

HEADERS = {
    "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/112.0.0.0 Safari/537.36",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,"
    "*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate, br",
    "Connection": "keep-alive",
    "Upgrade-Insecure-Requests": "1",
    "Referer": "https://www.google.com/",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-User": "?1",
    "Sec-Fetch-Dest": "document",
}
"""The headers of every request, in this order: a browser's, because pages refuse other clients."""

_OBJECT_ADDRESS = re.compile(r"(?<= object at )0x[0-9a-fA-F]+")
LONGEST_FAILURE = 4_000
"""Characters of a failure text, which may quote the server."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Bounds on one fetch, redirects included."""

    connect_seconds: float = 20  # to open a connection, for each address of a host
    read_seconds: float = 20  # without a single byte
    total_seconds: float = 60  # for the whole fetch
    redirects: int = 10  # followed in a row
    received_bytes: int = 10_000_000  # received, with headers, before decoding
    head_bytes: int = 262_144  # of the headers of one response
    page_bytes: int = 10_000_000  # of a page after decoding


class Fetcher:
    """Fetches pages. Has no state between fetches; safe to use from several threads."""

    def __init__(
        self,
        limits: FetchLimits = FetchLimits(),
        *,
        allow_private: bool = False,
        trust_env: bool = False,
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """allow_private: allow addresses of an intranet and of this machine. lookup: resolves names."""
        self._limits = limits
        self._allow_private = allow_private
        self._trust_env = trust_env
        self._lookup = lookup

    def fetch(self, url: str) -> Page | WebFailure:
        """The page at `url`, or the failure for the model. Raises WebError if nothing can be fetched."""
        limits = self._limits
        connections = FetchConnections(
            self._lookup, limits.received_bytes, allow_private=self._allow_private
        )
        try:
            return in_time(lambda: self._outcome(url, connections), connections, limits.total_seconds)
        except OutOfTime as error:
            return _failure(f"Read timed out. {error} for url: {url}")

    def _outcome(self, url: str, connections: FetchConnections) -> Page | WebFailure:
        try:
            return self._follow(url, connections)
        except TooMuch as error:
            return _failure(f"{error} for url: {url}")
        except ProxyError as error:
            if "Tunnel connection failed: 5" in str(error):  # the proxy works, the page does not
                return _failure(str(error))
            raise WebError(
                f"pages: expected the proxy to fetch {url}, got: {_stable(str(error))}. "
                "Check HTTP_PROXY and HTTPS_PROXY, or set trust_env to false."
            ) from error
        except (AddressRefused, RequestException, HTTPError, HTTPException, OSError, ValueError) as error:
            return _failure(str(error))

    def _follow(self, url: str, connections: FetchConnections) -> Page | WebFailure:
        with Session() as session:
            session.trust_env = False
            session.headers = CaseInsensitiveDict(HEADERS)
            session.adapters.clear()  # no other schemes than these two
            session.mount("https://", FetchAdapter(connections))
            session.mount("http://", FetchAdapter(connections))
            tape_session(session)
            for _ in range(self._limits.redirects + 1):
                request = session.prepare_request(Request("GET", url))
                with closing(self._send(session, request)) as response:
                    target = session.get_redirect_target(response)
                    if target is None:
                        return self._page(response)
                    session.cookies.update(response.cookies)
                    url = _redirected(response.url, target)
        return _failure(f"Exceeded {self._limits.redirects} redirects.")

    def _send(self, session: Session, request: PreparedRequest) -> Response:
        url = str(request.url)
        proxies: dict[str, str] = {}
        verify: bool | str = True
        if self._trust_env:
            proxies = get_environ_proxies(url)
            verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
            if select_proxy(url, proxies) and not self._allow_private:
                refuse_written(urlsplit(url).hostname or "")
        limits = self._limits
        # Not session.send, which would read the whole body of a redirect.
        response = session.get_adapter(url).send(
            request,
            stream=True,
            timeout=(limits.connect_seconds, limits.read_seconds),
            verify=verify,
            proxies=proxies,
        )
        check_head(response, limits.head_bytes)
        return response

    def _page(self, response: Response) -> Page | WebFailure:
        response.raise_for_status()
        content_type = response.headers.get("Content-Type", "")
        kind = media_type(content_type)
        if not is_text_type(kind):
            return _failure(f"Unsupported content type: {kind} for url: {response.url}")
        body = read_body(response, self._limits.page_bytes)
        if looks_binary(body):
            return _failure(f"Unsupported content: binary data for url: {response.url}")
        return Page(decoded(body, content_type))


def _redirected(url: str, target: str) -> str:
    """The target of a redirect; as in browsers, a target without a fragment inherits that of `url`."""
    parts = urlsplit(urljoin(url, requote_uri(target)))
    return urlunsplit(parts if parts.fragment else parts._replace(fragment=urlsplit(url).fragment))


def _stable(text: str) -> str:
    return _OBJECT_ADDRESS.sub("0x0", text)[:LONGEST_FAILURE]


def _failure(text: str) -> WebFailure:
    """A failure with a reproducible text: memory addresses are zeroed."""
    return WebFailure(_stable(text))
