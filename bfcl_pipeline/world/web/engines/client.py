"""The HTTP client that the class of ddgs for DuckDuckGo is given in the place of its own.

Covers one request through primp, which speaks TLS as a browser does: bounded in size and time, without
redirects, to the engine's host only, every exchange on the tape; played from a cassette within `playing`.
A status other than 200 raises what it means, so that ddgs never takes it for "no results". Each request has
its own retries: what was answered is not requested again.

The browser that primp imitates is always the same one, so that two runs send the same requests.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import responses
from typing import Any
from urllib.parse import urlencode, urlsplit

import primp
from requests.structures import CaseInsensitiveDict

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO
from bfcl_pipeline.world.web.engines.asking import (
    LIMITS,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.evidence.playing import RecordedPlayer, Unanswered, player
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note
from bfcl_pipeline.world.web.http_client import HttpLimits, HttpReply
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies

SITE = "https://html.duckduckgo.com"
"""Where DuckDuckGo is asked."""

BROWSER, SYSTEM = "firefox_151", "linux"
"""What primp imitates in TLS, HTTP/2 and headers. Without its number the version would be random."""

REFUSED_SECONDS = 5.0
"""The wait that a refusal without Retry-After stands for, for all searches."""

_ERROR_PAGE = "/50x.html"  # to which it redirects
_REFUSALS = (202, 403, 418, 429, 999)
_FORM = "application/x-www-form-urlencoded"
_OLD_CHARSETS = {"iso-8859-1": "cp1252", "windows-1252": "cp1252"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How an engine is reached."""

    limits: HttpLimits = LIMITS
    proxies: Proxies = DIRECT
    pace: HostPace = field(default_factory=lambda: HostPace(0.0))
    site: str = SITE  # where it is served: `http://127.0.0.1:1`
    clock: Callable[[], float] = time.monotonic


class EngineClient:
    """The HTTP client of one search."""

    def __init__(self, connection: Connection, retries: RetryPolicy) -> None:
        self._connection = connection
        self._retries = retries
        self.check: Callable[[str], None] = lambda _page: None
        """Raises SearchUnavailable for a page that is worth another attempt."""
        self._primp: primp.Client | None = None

    def request(self, method: str, url: str, *, data: Mapping[str, str]) -> str:
        """The page at `url` for a form.

        No message contains the address.

        Raises:
            WebError: no attempt is left, see `_attempt`.
            UnknownAnswer: the answer has another status or is too large, or the site is not the engine's.
        """
        if not url.startswith(f"{SITE}/"):
            raise UnknownAnswer(
                f"{DUCKDUCKGO}: ddgs asks {url[:100]!r}, expected {SITE}. Nothing was sent; use another "
                "search engine."
            )
        body = urlencode(data).encode("ascii")
        return self._retries(lambda: self._attempt(method, url, body))

    def _attempt(self, method: str, address: str, body: bytes) -> str:
        """One attempt.

        Raises:
            SearchRateLimited: the engine refuses.
            Outage: no complete answer was received, or the engine reports a failure.
        """
        played = player()
        if played is None:
            host = urlsplit(address).netloc
            self._connection.pace.wait(host)
            answer = self._sent(method, address, body)
            refused = REFUSED_SECONDS if answer.status in _REFUSALS else None
            self._connection.pace.hold(host, answer.retry_after_seconds() or refused)
        else:
            answer = self._played(played, method, address, body)
        self._check_status(answer)
        self.check(answer.text)
        return answer.text

    def _played(self, played: RecordedPlayer, method: str, address: str, body: bytes) -> HttpReply:
        try:
            answer = played.answer(method, address, body)
        except Unanswered as error:
            failure = f"the recorded request had no complete answer ({error})"
        else:
            self._check_size(len(answer.body))
            headers = CaseInsensitiveDict(answer.headers)
            return HttpReply(answer.status, headers, _text(bytes(answer.body), headers))
        raise Outage(DUCKDUCKGO, failure)

    def _sent(self, method: str, address: str, body: bytes) -> HttpReply:
        client = self._connected(address)
        headers = {"Content-Type": _FORM}
        shown = {**client.headers, **headers}
        exchange = HttpExchange(method, address, tuple(shown.items()), body, decompressed=True)
        note(exchange)
        try:
            served = address.replace(SITE, self._connection.site, 1)
            response = client.request(method, served, content=body, headers=headers, stream=True)
            try:
                return self._read(response, exchange)
            finally:
                response.close()
        except primp.PrimpError as error:
            reason = _reason(error)
        exchange.error = reason
        raise Outage(DUCKDUCKGO, f"the connection failed ({reason})")

    def _read(self, response: Any, exchange: HttpExchange) -> HttpReply:
        """The body, piece by piece: its size and time are checked after each."""
        clock, seconds = self._connection.clock, self._connection.limits.total_seconds
        until = clock() + seconds
        exchange.status, exchange.reason = response.status_code, responses.get(response.status_code, "")
        exchange.headers = tuple(
            (name, value) for name, values in response.headers.items() for value in values.split("\n")
        )
        exchange.reading = True
        for piece in response.iter_bytes():
            exchange.body += piece
            self._check_size(len(exchange.body))
            if clock() > until:
                raise Outage(DUCKDUCKGO, f"its answer was not complete after {seconds:g} s")
        exchange.reading = False
        headers = CaseInsensitiveDict(exchange.headers)
        return HttpReply(exchange.status, headers, _text(bytes(exchange.body), headers))

    def _check_size(self, length: int) -> None:
        """Raises UnknownAnswer for a body of more bytes than a page of results can have."""
        if length > (most := self._connection.limits.body_bytes):
            raise UnknownAnswer(
                f"{DUCKDUCKGO} answered with more than {most} bytes, expected a page of results. Check "
                "which page is served at its address."
            )

    def _connected(self, address: str) -> "primp.Client":
        """The connection of this search, which keeps its cookies, through the proxy for an address."""
        limits, ca_file = self._connection.limits, _ca_file(self._connection.proxies)
        try:
            if self._primp is None:
                self._primp = primp.Client(
                    impersonate=BROWSER,
                    impersonate_os=SYSTEM,
                    follow_redirects=False,
                    timeout=limits.total_seconds,
                    connect_timeout=limits.connect_seconds,
                    dns_timeout=limits.connect_seconds,
                    read_timeout=limits.read_seconds,
                    ca_cert_file=ca_file,
                )
            # None: none, also if the environment has one.
            self._primp.proxy = self._connection.proxies.address(address)
        except primp.PrimpError as error:
            failure = f"The HTTP client of search engines cannot be made ({_reason(error)})."
        else:
            return self._primp
        raise ConfigError(
            f"{failure} Check web_proxy and the certificates of REQUESTS_CA_BUNDLE or SSL_CERT_FILE"
            f"{f' ({ca_file})' if ca_file else ''}."
        )

    def _check_status(self, answer: HttpReply) -> None:
        """Raises the error for a status other than 200."""
        status, retry_after = answer.status, answer.retry_after_seconds()
        if status in _REFUSALS:
            raise SearchRateLimited(DUCKDUCKGO, f"it refused with HTTP {status}", retry_after)
        if status >= 500 or status == 408:
            raise Outage(DUCKDUCKGO, f"it failed with HTTP {status}", retry_after)
        if status in range(300, 400):
            target = answer.headers.get("Location", "")[:200]
            if _ERROR_PAGE in target:
                raise Outage(DUCKDUCKGO, f"it redirected to its error page with HTTP {status}")
            raise UnknownAnswer(
                f"{DUCKDUCKGO} answered with a redirect to {target!r} (HTTP {status}), expected a page "
                "of results. If that page asks for consent or a login, use another search engine."
            )
        if status != 200:
            raise UnknownAnswer(
                f"{DUCKDUCKGO} answered with HTTP {status}, expected a page of results. "
                "Use another search engine."
            )
        if not answer.text.strip():
            raise Outage(DUCKDUCKGO, "its answer is empty")


def _ca_file(proxies: Proxies) -> str | None:
    """The file of certificates that the environment names."""
    if isinstance(proxies.certificates, str):
        return proxies.certificates
    return os.environ.get("SSL_CERT_FILE") or None


def _text(content: bytes, headers: Mapping[str, str]) -> str:
    """The page, decoded: UTF-8 but for the charsets of old pages; other bytes become U+FFFD."""
    declared = headers.get("Content-Type", "").partition("charset=")[2].partition(";")[0]
    charset = _OLD_CHARSETS.get(declared.strip(" \"'").lower(), "utf-8")
    return content.decode(charset, "replace")


def _reason(error: BaseException) -> str:
    """The innermost reason, without the address that primp names before it."""
    text = str(error.args[0]) if error.args else type(error).__name__
    return text.rpartition(" > ")[2][:200]
