"""Sends one GET request to a web API, bounded in time, size and redirects.

Only addresses of the public internet are connected to, or a proxy, as pages are fetched. No message
quotes an address, and no error is chained: both may contain a key.
"""

import json
import socket
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from typing import ClassVar
from urllib.parse import urljoin, urlsplit

from requests import PreparedRequest, Request, RequestException, Response, Session
from urllib3.exceptions import HTTPError

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.base.retry_after import retry_after_seconds
from bfcl_pipeline.world.web.addresses import AddressRefused, Lookup
from bfcl_pipeline.world.web.api_access import Sendable
from bfcl_pipeline.world.web.bounded import OutOfTime, TimeLimit, check_head, in_time, read_body
from bfcl_pipeline.world.web.cache import LONGEST_BODY
from bfcl_pipeline.world.web.content import known_charset
from bfcl_pipeline.world.web.engines.retries import SearchUnavailable
from bfcl_pipeline.world.web.evidence.tape import tape_session
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies
from bfcl_pipeline.world.web.transport import FetchAdapter, FetchConnections, TooMuch


class ApiUnavailable(SearchUnavailable):
    """A web API that did not answer now and may answer later."""

    subject: ClassVar[str] = "The web API"
    advice = (
        "Check the connection, and the quota of the key if it has one, and run again: answers of models "
        "that were given are not asked for again."
    )


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """Bounds on one request, redirects included."""

    connect_seconds: float = 20
    read_seconds: float = 30  # without a single byte
    total_seconds: float = 90
    redirects: int = 5
    received_bytes: int = LONGEST_BODY  # received, with headers, before decoding
    head_bytes: int = 65_536  # of the headers of one response
    body_bytes: int = LONGEST_BODY  # of a body after decoding


@dataclass(frozen=True, slots=True)
class ApiReply:
    """What a host sent."""

    status: int
    body: str
    retry_after_seconds: float | None  # the wait that it requests, if any


class ApiClient:
    """Sends requests. Has no state between them; safe to use from several threads."""

    def __init__(
        self,
        limits: ApiLimits = ApiLimits(),
        *,
        lookup: Lookup = socket.getaddrinfo,
        allow_private: bool = False,
        proxies: Proxies = DIRECT,
    ) -> None:
        """lookup: resolves names."""
        self._limits = limits
        self._lookup = lookup
        self._allow_private = allow_private
        self._proxies = proxies

    def get(self, request: Sendable) -> ApiReply:
        """The reply to `request`, whatever its status.

        Raises:
            ApiUnavailable: no complete reply was received.
            NotRecorded: the reply is too large, or redirects to where requests are not sent.
            WebError: no names can be looked up at all.
        """
        limits = self._limits
        connections = FetchConnections(
            self._lookup, limits.received_bytes, allow_private=self._allow_private
        )
        try:
            time = TimeLimit(limits.total_seconds)
            return in_time(lambda: self._follow(request, connections), connections, time)
        except OutOfTime:
            failure = f"no complete answer after {limits.total_seconds:g} s"
        except TooMuch as error:
            raise NotRecorded(f"{request.host}: its answer is not recorded: {error}.") from None
        except AddressRefused as error:
            failure = str(error)
        except (RequestException, HTTPError, HTTPException, OSError, ValueError) as error:
            failure = f"the connection failed ({_innermost(error)})"
        raise ApiUnavailable(request.host, failure)  # outside of the handler: without the error

    def _follow(self, request: Sendable, connections: FetchConnections) -> ApiReply:
        with Session() as session:
            session.trust_env = False
            session.adapters.clear()
            session.mount("https://", FetchAdapter(connections))
            session.mount("http://", FetchAdapter(connections))
            tape_session(session)
            prepared = _prepared(session, request, request.url, request.params)
            for _ in range(self._limits.redirects + 1):
                with closing(self._send(session, prepared)) as response:
                    target = session.get_redirect_target(response)
                    if target is None:
                        return self._reply(response)
                    url = urljoin(str(response.url), target)
                if not request.may_go_to(url):
                    raise NotRecorded(
                        f"{request.host}: its answer is not recorded: it redirects to another place."
                    )
                prepared = _prepared(session, request, url)
        raise NotRecorded(
            f"{request.host}: its answer is not recorded: more than {self._limits.redirects} redirects."
        )

    def _send(self, session: Session, prepared: PreparedRequest) -> Response:
        # Not session.send, which would read the whole body of a redirect.
        response = session.get_adapter(str(prepared.url)).send(
            prepared,
            stream=True,
            timeout=(self._limits.connect_seconds, self._limits.read_seconds),
            verify=self._proxies.certificates,
            proxies=self._proxies.for_requests(str(prepared.url)),
        )
        check_head(response, self._limits.head_bytes)
        return response

    def _reply(self, response: Response) -> ApiReply:
        body = read_body(response, self._limits.body_bytes)
        wait = retry_after_seconds(
            response.headers.get("Retry-After", ""), response.headers.get("Date", "")
        )
        return ApiReply(response.status_code, _text(body, response.encoding), wait)


def _prepared(
    session: Session, request: Sendable, url: str, params: Iterable[tuple[str, str]] = ()
) -> PreparedRequest:
    """A request to `url`; the headers of `request` are for its own host."""
    headers = dict(request.headers) if urlsplit(url).hostname == request.host else {}
    prepare: Callable[[Request], PreparedRequest] = session.prepare_request
    try:
        return prepare(Request("GET", url, params=list(params), headers=headers))
    except (RequestException, ValueError):  # its text may quote the address
        failure = f"{request.host}: a request to it cannot be sent: it is not valid HTTP."
    raise NotRecorded(failure)


def _text(body: bytes, declared: str | None) -> str:
    """The body as text, decoded as `requests` does for JSON."""
    return body.decode(known_charset(declared or json.detect_encoding(body)) or "utf-8", "replace")


def _innermost(error: BaseException) -> str:
    """The type name of the original error, such as ConnectionResetError."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return type(error).__name__
