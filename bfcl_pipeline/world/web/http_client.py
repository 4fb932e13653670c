"""GET requests within bounds on time, bytes and redirects: of pages, SerpApi and web APIs.

Connections go to addresses of the public internet only, checked at each hop (`transport`). A proxy
(`proxies`) looks up names itself, so that only literal addresses are refused then. Before each hop the
request waits for its turn at the host (`pace`), which is not part of its time; a Retry-After holds all
requests to the host. Cookies are kept for one exchange only; .netrc is not read. Everything is taped;
within `playing` a cassette answers.
"""

import json
import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import TypeAlias, TypeVar
from urllib.parse import urlsplit

from requests import PreparedRequest, RequestException, Response, Session
from requests.exceptions import ProxyError, TooManyRedirects
from urllib3.exceptions import HTTPError

from bfcl_pipeline.base.retry_after import retry_after_seconds
from bfcl_pipeline.world.web.addresses import AddressRefused, Lookup, refuse_written
from bfcl_pipeline.world.web.content import known_charset
from bfcl_pipeline.world.web.evidence.playing import player
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.played_responses import played_response
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies
from bfcl_pipeline.world.web.transport import (
    FetchAdapter,
    FetchConnections,
    OutOfTime,
    TimeLimit,
    TooMuch,
    check_head,
    in_time,
)

T = TypeVar("T")

Body: TypeAlias = Callable[[], bytes]
"""Reads the decoded body of a response. Raises TooMuch if it has more bytes than are accepted."""

_CHUNK = 65_536

_URL_LOGGER = "urllib3.connectionpool"


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds on one exchange, redirects included."""

    connect_seconds: float = 20  # to open a connection, for each address of a host
    read_seconds: float = 20  # without a single byte
    total_seconds: float = 60
    redirects: int = 10  # followed in a row
    received_bytes: int = 10_000_000  # received, with headers, before decoding
    head_bytes: int = 262_144  # of the headers of one response
    body_bytes: int = 10_000_000  # of a body after decoding


PAGE_LIMITS = HttpLimits()


class NoAnswer(Exception):
    """A request has no complete answer; the text says why, without its address, which may have a key."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The reply to one request."""

    status: int
    headers: Mapping[str, str]  # names are case-insensitive
    text: str  # the decoded body

    def retry_after_seconds(self) -> float | None:
        """The wait that the Retry-After header requests; None if it is absent or unreadable."""
        return requested_wait(self.headers)


def requested_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds that the header Retry-After requests; None if it is absent or unreadable."""
    return retry_after_seconds(headers.get("Retry-After", ""), headers.get("Date", ""))


class HttpClient:
    """Sends GET requests. Has no state between exchanges; safe to use from several threads."""

    def __init__(
        self,
        limits: HttpLimits = PAGE_LIMITS,
        *,
        allow_private: bool = False,
        proxies: Proxies = DIRECT,
        pace: HostPace | None = None,
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """allow_private: allow addresses of an intranet and of this machine. pace: None: no pauses.

        lookup: resolves names.
        """
        self.limits = limits
        self._allow_private = allow_private
        self._proxies = proxies
        self._pace = pace or HostPace(0.0)
        self._lookup = lookup
        # At level DEBUG it writes the whole address of each request, which may contain a key.
        logging.getLogger(_URL_LOGGER).setLevel(logging.INFO)

    def get(
        self,
        url: str,
        read: Callable[[Response, Body], T],
        prepare: Callable[[Session, str], PreparedRequest],
        redirect: Callable[[str, str], str] | None = None,
    ) -> T:
        """What `read` makes of the answer to a request of `url`.

        Args:
            url: the address.
            read: reads the answer, whatever its status, and its body.
            prepare: makes the request of an address.
            redirect: the next address, given the last one and its answer's Location; None: a redirect is an
                answer.

        Raises:
            OutOfTime, TooMuch: a limit is exceeded.
            AddressRefused: an address is not public.
            WebError: no name can be looked up at all.
            RequestException, HTTPError, HTTPException, OSError, ValueError: the request cannot be made, or
                has no complete answer.
        """
        time = TimeLimit(self.limits.total_seconds)
        connections = FetchConnections(
            self._lookup, self.limits.received_bytes, allow_private=self._allow_private
        )

        def follow() -> T:
            place = url
            with Session() as session:
                session.trust_env = False
                session.adapters.clear()  # no other schemes than these two
                session.mount("https://", FetchAdapter(connections))
                session.mount("http://", FetchAdapter(connections))
                for _ in range(self.limits.redirects + 1):
                    request = prepare(session, place)
                    exchange = HttpExchange("GET", str(request.url), _headers(request), None)
                    with closing(self._send(session, request, exchange, time)) as response:
                        target = session.get_redirect_target(response)
                        if target is None or redirect is None:
                            return read(response, partial(self._body, response, exchange))
                        session.cookies.update(response.cookies)
                        place = redirect(response.url, target)
            raise TooManyRedirects(f"Exceeded {self.limits.redirects} redirects.")

        return in_time(follow, connections, time)

    def reply(
        self,
        url: str,
        prepare: Callable[[Session, str], PreparedRequest],
        redirect: Callable[[str, str], str] | None = None,
    ) -> HttpReply:
        """The reply to a request of an API, whatever its status. The arguments are those of `get`.

        Raises:
            NoAnswer: no complete reply was received.
            TooMuch, TooManyRedirects: a limit is exceeded.
            WebError: no name can be looked up at all.
        """

        def read(response: Response, read_body: Body) -> HttpReply:
            body = read_body()
            charset = known_charset(response.encoding or json.detect_encoding(body)) or "utf-8"
            return HttpReply(response.status_code, response.headers, body.decode(charset, "replace"))

        try:
            return self.get(url, read, prepare, redirect)
        except (TooMuch, TooManyRedirects):
            raise
        except OutOfTime:
            failure = f"no complete answer after {self.limits.total_seconds:g} s"
        except AddressRefused as error:
            failure = str(error)
        except (RequestException, HTTPError, HTTPException, OSError, ValueError) as error:
            failure = f"the connection failed ({_innermost_name(error)})"
        raise NoAnswer(failure)  # outside of the handler: without the error, which may quote the address

    def _send(
        self,
        session: Session,
        request: PreparedRequest,
        exchange: HttpExchange,
        time: TimeLimit,
    ) -> Response:
        url = str(request.url)
        host = urlsplit(url).hostname or ""
        proxies = self._proxies.for_requests(url)
        if proxies and not self._allow_private:
            refuse_written(host)
        with time.stopped():
            self._pace.wait(host)
        note(exchange)
        with exchange.failing():
            if (cassette := player()) is not None:
                response = played_response(cassette, request)
            else:
                # Not session.send, which would read the whole body of a redirect.
                response = session.get_adapter(url).send(
                    request,
                    stream=True,
                    timeout=(self.limits.connect_seconds, self.limits.read_seconds),
                    verify=self._proxies.certificates,
                    proxies=proxies,
                )
        exchange.status, exchange.reason = response.status_code, response.reason or ""
        exchange.headers = tuple(response.raw.headers.items())
        if proxies and response.status_code == 407:
            response.close()
            raise ProxyError("HTTP 407: it requires a user and a password")
        check_head(response, self.limits.head_bytes)
        if response.status_code == 429 or response.status_code >= 500:
            self._pace.hold(host, requested_wait(response.headers))
        return response

    def _body(self, response: Response, exchange: HttpExchange) -> bytes:
        exchange.reading = exchange.decompressed = True
        pieces = response.raw.stream(_CHUNK, decode_content=True)  # decoded in pieces, against zip bombs
        while True:
            with exchange.failing():
                piece = next(pieces, None)
            if piece is None:
                break
            exchange.body += piece
            if len(exchange.body) > self.limits.body_bytes:
                raise TooMuch(f"Content of more than {self.limits.body_bytes:,} bytes")
        exchange.reading = False
        return bytes(exchange.body)


def _innermost_name(error: BaseException) -> str:
    """The type name of the original error, such as ConnectionResetError."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return type(error).__name__


def _headers(request: PreparedRequest) -> tuple[tuple[str, str], ...]:
    named = ((str(name), value) for name, value in request.headers.items())
    return tuple(
        (name, value.decode("latin-1") if isinstance(value, bytes) else value) for name, value in named
    )
