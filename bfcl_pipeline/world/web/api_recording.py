"""The web APIs of the mode `record`: each request has one answer, which is recorded once.

`RecordingApis` requests what the web cache lacks; `web.apis` replays, without requests. An answer is
whatever the API returns for a request, errors included. Not answers: a refused key, a rate limit, HTTP
5xx, no connection. They raise WebError, and the request is made again in the next run.

`ApiClient` sends a request, bounded in time, size and redirects, to addresses of the public internet or a
proxy only. No message quotes an address, and no error is chained: both may contain a key.
"""

import json
import socket
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPException
from typing import ClassVar, cast
from urllib.parse import urljoin, urlsplit

from requests import PreparedRequest, Request, RequestException, Response, Session
from urllib3.exceptions import HTTPError

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import NotRecorded, WebError
from bfcl_pipeline.base.retry_after import retry_after_seconds
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.web.addresses import AddressRefused, Lookup
from bfcl_pipeline.world.web.apis import Sendable, sendable
from bfcl_pipeline.world.web.cache import LONGEST_BODY, WebCache
from bfcl_pipeline.world.web.content import known_charset
from bfcl_pipeline.world.web.engines.asking import RetryPolicy, SearchUnavailable, innermost_name
from bfcl_pipeline.world.web.evidence.tape import tape_session
from bfcl_pipeline.world.web.keys import ApiKey
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies
from bfcl_pipeline.world.web.recording import Recorder, utc_now
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
            failure = f"the connection failed ({innermost_name(error)})"
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


ENGINE = f"requests of bfcl-pipeline {__version__}"
"""The software that sends the requests, as outcomes of the web cache name it."""

SECONDS_BETWEEN: Mapping[str, float] = {"geocode.maps.co": 2.0, "ip-api.com": 1.5}
"""The shortest time between two requests to a host. The first as in the official tool."""

SECONDS_BETWEEN_OTHERS = 0.25
"""The shortest time between two requests to one of the other hosts."""

PRODUCT_HOST = "real-time-amazon-data.p.rapidapi.com"
"""The host that is asked again while it answers without a product, as in the official tool."""

PRODUCT_ATTEMPTS = 5

FAILURES_IN_A_ROW = 3
"""Requests to a host without an answer, each after its retries; then the host is not asked again."""


class RecordingApis:
    """The real web APIs, whose answers are recorded; each request is made once (`Recorder`)."""

    def __init__(
        self,
        cache: WebCache,
        keys: Mapping[str, str],
        client: ApiClient | None = None,
        *,
        retries: RetryPolicy | None = None,
        pace: HostPace | None = None,
        secrets: Collection[str] = (),
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """keys: API keys by environment variable (`api_access.keys_in`). pace: None: within this process.

        secrets: others than the keys, never written.
        """
        self._keys = keys
        self._client = client or ApiClient()
        self._retries = retries or RetryPolicy(attempts=3)
        self._pace = pace or HostPace()
        self._recorder = Recorder(cache, secrets=[*keys.values(), *secrets], now=now)
        self._refused: dict[str, str] = {}  # by host, why its key is not sent again
        self._failures: dict[str, int] = {}  # by host, requests without an answer since the last answer

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The recorded answer, or that of the API.

        Raises:
            NotRecorded: the request is not sent: another host, or its key is not set.
            WebError: there is no answer now.
        """
        answer = self._recorder.outcome(ApiKey(request), ENGINE, lambda: self.ask(request))
        return cast("ApiAnswer", answer)

    def ask(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the API, which is not recorded. Raises as `get` does."""
        sent = sendable(request, self._keys)
        if self._failures.get(sent.host, 0) >= FAILURES_IN_A_ROW:
            raise WebError(
                f"{sent.host} did not answer {FAILURES_IN_A_ROW} requests in a row and is not asked again "
                "in this step. Check the connection and run again."
            )
        try:
            answer = self._answer(sent)
        except WebError as error:
            if isinstance(error.__cause__, ApiUnavailable):
                self._failures[sent.host] = self._failures.get(sent.host, 0) + 1
            raise
        self._failures[sent.host] = 0
        return answer

    def _answer(self, sent: Sendable) -> ApiAnswer:
        answer = self._retries(lambda: self._attempt(sent))
        if sent.host == PRODUCT_HOST:
            for attempt in range(PRODUCT_ATTEMPTS - 1):
                if not _lacks_product(answer.body):
                    break
                self._retries.sleep(2.0**attempt)
                answer = self._retries(lambda: self._attempt(sent))
        return answer

    def _attempt(self, sent: Sendable) -> ApiAnswer:
        if sent.variable is not None and sent.host in self._refused:
            raise WebError(self._refused[sent.host])
        self._pace.wait(sent.host, SECONDS_BETWEEN.get(sent.host, SECONDS_BETWEEN_OTHERS))
        reply = self._client.get(sent)
        if reply.status == 429 or reply.status >= 500:
            self._pace.hold(sent.host, reply.retry_after_seconds)
            raise ApiUnavailable(
                sent.host, f"it answered with HTTP {reply.status}", reply.retry_after_seconds
            )
        if sent.variable is not None and reply.status in (401, 403):
            self._refused[sent.host] = (
                f"{sent.host} refused the key in {sent.variable} with HTTP {reply.status}. Check the key, "
                "its subscription to this API and its quota, and run again."
            )
            raise WebError(self._refused[sent.host])
        return ApiAnswer(reply.status, reply.body)


def _lacks_product(body: str) -> bool:
    """Whether an answer is one that the official functions ask for again."""
    document = loaded_json(body)
    if not isinstance(document, dict):
        return False
    product = document.get("data", {})
    return isinstance(product, dict) and "product_title" not in product
