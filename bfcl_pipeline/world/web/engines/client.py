"""The HTTP client that ddgs's engines are given in the place of their own.

Covers one request through primp, which speaks TLS as a browser does: bounded in size and time, without
redirects, to the engine's hosts only, every exchange on the tape; played from a cassette within `playing`.
A status other than 200 raises what it means, so that ddgs never takes it for "no results". Each request has
its own retries: what was answered is not requested again.

The browser that primp imitates is always the same one, so that two runs send the same requests.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any
from urllib.parse import urlencode, urlsplit

import primp
from requests.structures import CaseInsensitiveDict

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.world.web.engines.facts import EngineFacts
from bfcl_pipeline.world.web.engines.requested import EngineResponse, SearchLimits, UnknownAnswer
from bfcl_pipeline.world.web.engines.retries import Outage, RetryPolicy, SearchRateLimited
from bfcl_pipeline.world.web.evidence.playing import RecordedPlayer, Unanswered, player
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note

BROWSER, SYSTEM = "firefox_151", "linux"
"""What primp imitates in TLS, HTTP/2 and headers. Without its number the version would be random."""

REFUSED_SECONDS = 5.0
"""The wait that a refusal without Retry-After stands for, for all searches."""

_HOST = re.compile(r"[a-z0-9.-]+")  # without a backslash, which primp may take for the end of a host
_REFUSALS = (202, 403, 418, 429, 999)
_FORM = "application/x-www-form-urlencoded"
_OLD_CHARSETS = {"iso-8859-1": "cp1252", "windows-1252": "cp1252"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How an engine is reached."""

    limits: SearchLimits = field(default_factory=SearchLimits)
    proxy: Callable[[str], str | None] = lambda _address: None  # the proxy for an address, if any
    before: Callable[[str], object] = lambda _host: None  # called before each request with its host
    after: Callable[[str, float | None], None] = lambda _host, _seconds: None  # with the wait it wants
    ca_file: str | None = None  # certificates to trust in the place of the usual ones
    addresses: Mapping[str, str] | None = None  # by host, where it is served instead: `http://127.0.0.1:1`


@dataclass(frozen=True, slots=True)
class ReadPage:
    """An answer with status 200, as ddgs's engines read it."""

    status_code: int
    text: str
    content: bytes


class EngineClient:
    """The HTTP client of one search; it has the methods that ddgs calls."""

    def __init__(
        self, engine: str, facts: EngineFacts, connection: Connection, retries: RetryPolicy | None = None
    ) -> None:
        """engine: its name, for messages. retries: None: one attempt, whose error is raised as it is."""
        self._engine = engine
        self._facts = facts
        self._connection = connection
        self._retries = retries
        self.check: Callable[[str], None] = lambda _page: None
        """Raises SearchUnavailable for a page that is worth another attempt."""
        self._headers: dict[str, str] = {}
        self._cookies: dict[str, dict[str, str]] = {}  # by address, until the first request
        self._primp: primp.Client | None = None

    @property
    def client(self) -> "EngineClient":
        """Itself: ddgs sets headers and cookies on the client within its client."""
        return self

    def headers_update(self, headers: Mapping[str, str]) -> None:
        """Adds headers to every request."""
        self._headers.update(headers)

    def set_cookies(self, address: str, cookies: Mapping[str, str]) -> None:
        """Adds cookies to every request to the host of `address`."""
        full = address if "://" in address else f"https://www.{address}"
        self._cookies.setdefault(full, {}).update(cookies)

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        data: Mapping[str, str] | None = None,
    ) -> ReadPage:
        """The page at `url`.

        No message contains the address.

        Raises:
            WebError: no attempt is left, see `_attempt`.
            UnknownAnswer: the answer has another status or is too large, or the host is not the engine's.
        """
        address = f"{url}{'&' if '?' in url else '?'}{urlencode(params)}" if params else url
        body = None if data is None else urlencode(data).encode("ascii")
        host = self._checked_host(address)
        if self._retries is None:
            return self._attempt(method, address, body, host)
        return self._retries(lambda: self._attempt(method, address, body, host))

    def _attempt(self, method: str, address: str, body: bytes | None, host: str) -> ReadPage:
        """One attempt.

        Raises:
            SearchRateLimited: the engine refuses.
            Outage: no complete answer was received, or the engine reports a failure.
        """
        played = player()
        if played is None:
            self._connection.before(host)
            answer, content = self._sent(method, address, body)
            refused = REFUSED_SECONDS if answer.status in _REFUSALS else None
            self._connection.after(host, answer.retry_after_seconds() or refused)
        else:
            answer, content = self._played(played, method, address, body)
        self._check_status(answer)
        self.check(answer.text)
        return ReadPage(answer.status, answer.text, content)

    def _checked_host(self, address: str) -> str:
        parts = urlsplit(address)
        host, hosts = parts.netloc, self._facts.hosts  # no engine has a user or a port
        known = any(host == own or (own.startswith(".") and host.endswith(own)) for own in hosts)
        if known and _HOST.fullmatch(host) and parts.scheme == "https":
            return host
        raise UnknownAnswer(
            f"{self._engine}: ddgs asks {host[:100]!r} by {parts.scheme[:10]!r}, expected one of "
            f"{', '.join(hosts)} by https. Nothing was sent; use another search engine."
        )

    def _played(
        self, played: RecordedPlayer, method: str, address: str, body: bytes | None
    ) -> tuple[EngineResponse, bytes]:
        try:
            answer = played.answer(method, address, body)
        except Unanswered as error:
            failure = f"the recorded request had no complete answer ({error})"
        else:
            self._connection.limits.check_size(self._engine, len(answer.body))
            headers = CaseInsensitiveDict(answer.headers)
            return EngineResponse(answer.status, headers, _text(answer.body, headers)), answer.body
        raise Outage(self._engine, failure)

    def _sent(self, method: str, address: str, body: bytes | None) -> tuple[EngineResponse, bytes]:
        client = self._connected(address)
        headers = {} if body is None else {"Content-Type": _FORM}
        shown = {**client.headers, **headers}
        exchange = HttpExchange(method, address, tuple(shown.items()), body, decompressed=True)
        note(exchange)
        try:
            response = client.request(
                method, self._served(address), content=body, headers=headers, stream=True
            )
            try:
                return self._read(response, exchange)
            finally:
                response.close()
        except primp.PrimpError as error:
            reason = _reason(error)
        finally:
            exchange.ended = monotonic()
        exchange.error = reason
        raise Outage(self._engine, f"the connection failed ({reason})")

    def _read(self, response: Any, exchange: HttpExchange) -> tuple[EngineResponse, bytes]:
        """The body, piece by piece: its size and time are checked after each."""
        limits = self._connection.limits
        until = limits.clock() + limits.whole_seconds
        exchange.status, exchange.reason = response.status_code, _phrase(response.status_code)
        exchange.headers = tuple(
            (name, value) for name, values in response.headers.items() for value in values.split("\n")
        )
        exchange.reading = True
        for piece in response.iter_bytes():
            exchange.body += piece
            limits.check_size(self._engine, len(exchange.body))
            if limits.clock() > until:
                raise Outage(self._engine, f"its answer was not complete after {limits.whole_seconds:g} s")
        exchange.reading = False
        content = bytes(exchange.body)
        headers = CaseInsensitiveDict(exchange.headers)
        return EngineResponse(exchange.status, headers, _text(content, headers)), content

    def _connected(self, address: str) -> "primp.Client":
        """The connection of this search, with its cookies, through the proxy for an address."""
        limits, ca_file = self._connection.limits, self._connection.ca_file
        try:
            if self._primp is None:
                self._primp = primp.Client(
                    impersonate=BROWSER,
                    impersonate_os=SYSTEM,
                    follow_redirects=False,
                    timeout=limits.whole_seconds,
                    connect_timeout=limits.connect_seconds,
                    dns_timeout=limits.connect_seconds,
                    read_timeout=limits.silence_seconds,
                    ca_cert_file=ca_file,
                )
            # None: none, also if the environment has one.
            self._primp.proxy = self._connection.proxy(address)
        except primp.PrimpError as error:
            failure = f"The HTTP client of search engines cannot be made ({_reason(error)})."
        else:
            self._primp.headers_update(self._headers)
            for site, cookies in self._cookies.items():
                self._primp.set_cookies(self._served(site), cookies)
            self._cookies.clear()
            return self._primp
        raise ConfigError(
            f"{failure} Check web_proxy and the certificates of REQUESTS_CA_BUNDLE or SSL_CERT_FILE"
            f"{f' ({ca_file})' if ca_file else ''}."
        )

    def _served(self, address: str) -> str:
        """Where an address is served: itself, unless `Connection.addresses` says otherwise."""
        parts = urlsplit(address)
        base = (self._connection.addresses or {}).get(parts.netloc)
        return address if base is None else address.replace(f"{parts.scheme}://{parts.netloc}", base, 1)

    def _check_status(self, answer: EngineResponse) -> None:
        """Raises the error for a status other than 200."""
        status, retry_after = answer.status, answer.retry_after_seconds()
        if status in _REFUSALS:
            raise SearchRateLimited(self._engine, f"it refused with HTTP {status}", retry_after)
        if status >= 500 or status == 408:
            raise Outage(self._engine, f"it failed with HTTP {status}", retry_after)
        if status in range(300, 400):
            target = answer.headers.get("Location", "")[:200]
            if any(part in target for part in self._facts.refusing_addresses):
                raise SearchRateLimited(self._engine, f"it redirected to a captcha with HTTP {status}")
            if any(part in target for part in self._facts.failing_addresses):
                raise Outage(self._engine, f"it redirected to its error page with HTTP {status}")
            raise UnknownAnswer(
                f"{self._engine} answered with a redirect to {target!r} (HTTP {status}), expected a page "
                "of results. If that page asks for consent or a login, use another search engine."
            )
        if status != 200:
            raise UnknownAnswer(
                f"{self._engine} answered with HTTP {status}, expected a page of results. "
                "Use another search engine."
            )
        if not answer.text.strip():
            raise Outage(self._engine, "its answer is empty")


def _text(content: bytes, headers: Mapping[str, str]) -> str:
    """The page, decoded: UTF-8 but for the charsets of old pages; other bytes become U+FFFD."""
    declared = headers.get("Content-Type", "").partition("charset=")[2].partition(";")[0]
    charset = _OLD_CHARSETS.get(declared.strip(" \"'").lower(), "utf-8")
    return content.decode(charset, "replace")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _reason(error: BaseException) -> str:
    """The innermost reason, without the address that primp names before it."""
    text = str(error.args[0]) if error.args else type(error).__name__
    return text.rpartition(" > ")[2][:200]
