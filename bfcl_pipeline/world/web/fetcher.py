"""Fetches pages over HTTP as the release's web tool does, within bounds.

The headers, the timeout of 20 seconds and the failure texts (the messages of `requests`) are the release's.
Covers redirects, encodings, charsets, and limits on time and bytes; extracting a page's text is elsewhere.
Compressed pages are decoded (the release accepts brotli and, without the library, shows the bytes), and
content that is not text is a failure. The failure of a page is an outcome; a WebError means that no page
can be fetched at all (names cannot be looked up, a proxy is down).

Only http and https, on any port. Only addresses of the public internet, checked at each hop. A proxy
(`proxies`) looks up names itself, so that only literal addresses are refused then. Before each hop the
fetch waits for its turn at the host (`pace`), which is not part of its time. Cookies are kept for one fetch
only; .netrc is not read.
"""

import re
import socket
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from urllib.parse import urljoin, urlsplit, urlunsplit

from requests import PreparedRequest, Request, RequestException, Response, Session
from requests.exceptions import ProxyError
from requests.structures import CaseInsensitiveDict
from requests.utils import requote_uri
from urllib3.exceptions import HTTPError

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.retry_after import retry_after_seconds
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.addresses import AddressRefused, Lookup, refuse_written
from bfcl_pipeline.world.web.content import decode_page, is_text_type, looks_binary, media_type
from bfcl_pipeline.world.web.evidence.tape import tape_session
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies
from bfcl_pipeline.world.web.transport import (
    FetchAdapter,
    FetchConnections,
    OutOfTime,
    TimeLimit,
    TooMuch,
    check_head,
    in_time,
    read_body,
)

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
        proxies: Proxies = DIRECT,
        pace: HostPace | None = None,
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """allow_private: allow addresses of an intranet and of this machine. pace: None: no pauses.

        lookup: resolves names.
        """
        self._limits = limits
        self._allow_private = allow_private
        self._proxies = proxies
        self._redactor = Redactor(proxies.secrets)
        self._pace = pace or HostPace(0.0)
        self._lookup = lookup

    def fetch(self, url: str) -> Page | WebFailure:
        """The page at `url`, or the failure for the model. Raises WebError if nothing can be fetched."""
        limits = self._limits
        connections = FetchConnections(
            self._lookup, limits.received_bytes, allow_private=self._allow_private
        )
        time = TimeLimit(limits.total_seconds)
        try:
            return in_time(lambda: self._outcome(url, connections, time), connections, time)
        except OutOfTime as error:
            return _failure(f"Read timed out. {error} for url: {url}")

    def _outcome(self, url: str, connections: FetchConnections, time: TimeLimit) -> Page | WebFailure:
        try:
            return self._follow(url, connections, time)
        except TooMuch as error:
            return _failure(f"{error} for url: {url}")
        except ProxyError as error:
            if "Tunnel connection failed: 5" in str(error):  # the proxy works, the page does not
                return _failure(str(error))
            raise self._proxy_failed(url, _stable(str(error))) from error
        except (AddressRefused, RequestException, HTTPError, HTTPException, OSError, ValueError) as error:
            return _failure(str(error))

    def _proxy_failed(self, url: str, got: str) -> WebError:
        return WebError(
            f"pages: expected the proxy {self._proxies.shown} to fetch {url}, got: "
            f"{self._redactor.text(got)}. Check that it runs and accepts this machine, and web_proxy in "
            "the config or HTTP_PROXY and HTTPS_PROXY; then run again."
        )

    def _follow(self, url: str, connections: FetchConnections, time: TimeLimit) -> Page | WebFailure:
        with Session() as session:
            session.trust_env = False
            session.headers = CaseInsensitiveDict(HEADERS)
            session.adapters.clear()  # no other schemes than these two
            session.mount("https://", FetchAdapter(connections))
            session.mount("http://", FetchAdapter(connections))
            tape_session(session)
            for _ in range(self._limits.redirects + 1):
                request = session.prepare_request(Request("GET", url))
                with closing(self._send(session, request, time)) as response:
                    target = session.get_redirect_target(response)
                    if target is None:
                        return self._page(response)
                    session.cookies.update(response.cookies)
                    url = _redirected(response.url, target)
        return _failure(f"Exceeded {self._limits.redirects} redirects.")

    def _send(self, session: Session, request: PreparedRequest, time: TimeLimit) -> Response:
        url = str(request.url)
        host = urlsplit(url).hostname or ""
        proxies = self._proxies.for_requests(url)
        if proxies and not self._allow_private:
            refuse_written(host)
        with time.stopped():
            self._pace.wait(host)
        limits = self._limits
        # Not session.send, which would read the whole body of a redirect.
        response = session.get_adapter(url).send(
            request,
            stream=True,
            timeout=(limits.connect_seconds, limits.read_seconds),
            verify=self._proxies.certificates,
            proxies=proxies,
        )
        if proxies and response.status_code == 407:
            response.close()
            raise self._proxy_failed(url, "HTTP 407: it requires a user and a password")
        check_head(response, limits.head_bytes)
        if response.status_code in (429, 503):
            wait = response.headers.get("Retry-After", ""), response.headers.get("Date", "")
            self._pace.hold(host, retry_after_seconds(*wait))
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
        return Page(decode_page(body, content_type))


def _redirected(url: str, target: str) -> str:
    """The target of a redirect; as in browsers, a target without a fragment inherits that of `url`."""
    parts = urlsplit(urljoin(url, requote_uri(target)))
    return urlunsplit(parts if parts.fragment else parts._replace(fragment=urlsplit(url).fragment))


def _stable(text: str) -> str:
    return _OBJECT_ADDRESS.sub("0x0", text)[:LONGEST_FAILURE]


def _failure(text: str) -> WebFailure:
    """A failure with a reproducible text: memory addresses are zeroed."""
    return WebFailure(_stable(text))
