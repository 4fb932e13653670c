"""One HTTP request to a search engine, bounded in size and time.

Covers sending it, reading the body with a limit, and raising every connection failure as an `Outage`. What
a response means is decided by the engine's own module. Redirects are not followed: an engine that redirects
has not answered the search.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import requests
import urllib3

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.retry_after import retry_after_seconds
from bfcl_pipeline.world.web.engines.retries import Outage
from bfcl_pipeline.world.web.evidence.tape import tape_session
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies

NOT_RETRIEVED = "Failed to retrieve the search results from server. Please try again later."
"""The text a model sees for a search that the engine does not accept, as in the release."""

_CHUNK_BYTES = 65_536


class UnknownAnswer(WebError):
    """An answer in a format that cannot be read; a retry would not help."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Bounds on one request."""

    connect_seconds: float = 10.0
    silence_seconds: float = 20.0  # between two pieces of the body
    whole_seconds: float = 60.0  # for reading the body
    largest_bytes: int = 2_000_000  # of a body, decompressed; pages have 40,000 to some 1,000,000
    clock: Callable[[], float] = time.monotonic

    def check_size(self, engine: str, length: int) -> None:
        """Raises UnknownAnswer for a body of more bytes than a page of results can have."""
        if length > self.largest_bytes:
            raise UnknownAnswer(
                f"{engine} answered with more than {self.largest_bytes} bytes, expected a page of results. "
                "Check which page is served at its address."
            )


@dataclass(frozen=True, slots=True)
class EngineResponse:
    """The response to one request."""

    status: int
    headers: Mapping[str, str]  # names are case-insensitive
    text: str  # the body as UTF-8; other bytes are replaced by U+FFFD

    def retry_after_seconds(self) -> float | None:
        """The wait that the Retry-After header requests; None if it is absent or unreadable."""
        return retry_after_seconds(self.headers.get("Retry-After", ""), self.headers.get("Date", ""))


def engine_session() -> requests.Session:
    """A session for one search, without state of earlier ones; its traffic is recorded as evidence."""
    session = requests.Session()
    session.trust_env = False  # neither a .netrc; proxies are given
    tape_session(session)
    return session


def request_engine(
    engine: str,
    session: requests.Session,
    method: str,
    url: str,
    *,
    limits: SearchLimits,
    headers: Mapping[str, str],
    params: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
    proxies: Proxies = DIRECT,
) -> EngineResponse:
    """The answer of `engine`, whatever its status.

    No message contains the URL, and no error is chained: the library's errors quote the URL, which may
    contain a key.

    Raises:
        Outage: no complete answer was received.
        UnknownAnswer: the answer is larger than a page of results can be.
    """
    try:
        with session.request(
            method,
            url,
            params=params,
            data=form,
            headers=headers,
            stream=True,
            allow_redirects=False,
            proxies=proxies.for_requests(url),
            verify=proxies.certificates,
            timeout=(limits.connect_seconds, limits.silence_seconds),
        ) as response:
            body = _read(engine, response, limits)
            return EngineResponse(response.status_code, response.headers, body.decode("utf-8", "replace"))
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        failure = f"the connection failed ({_innermost(error)})"
    raise Outage(engine, failure)  # outside of the handler: without the error as its context


def encodable(text: str) -> str:
    """The text with lone surrogates, which a URL cannot contain, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _read(engine: str, response: requests.Response, limits: SearchLimits) -> bytes:
    """The body, read as it arrives: while waiting for a full chunk the time limit is not checked."""
    until = limits.clock() + limits.whole_seconds
    body = bytearray()
    while piece := response.raw.read1(_CHUNK_BYTES, decode_content=True):
        body += piece
        limits.check_size(engine, len(body))
        if limits.clock() > until:
            raise Outage(engine, f"its answer was not complete after {limits.whole_seconds:g} s")
    return bytes(body)


def _innermost(error: BaseException) -> str:
    """The type name of the original error, such as ConnectionResetError."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return type(error).__name__
