"""One question to a search engine over HTTP, bounded in size and time.

Covers sending it, reading the answer's body with a limit, and telling every failure of the connection
as an `Outage`. What an answer means is up to the engine that reads it. Redirects are not followed: an
engine that sends us elsewhere has not answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import requests
import urllib3

from bfcl_pipeline.errors import WebError
from bfcl_pipeline.web.cassette import tape_session
from bfcl_pipeline.web.waiting import Outage

NOT_RETRIEVED = "Failed to retrieve the search results from server. Please try again later."
"""What a model is told of a search that the engine does not take, as in the release."""

_CHUNK_BYTES = 65_536
_SECONDS = re.compile(r"\d{1,9}")


class UnknownAnswer(WebError):
    """An answer of a form that we cannot read: asking again would not help."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may cost."""

    connect_seconds: float = 10.0
    silence_seconds: float = 20.0  # between two pieces of an answer
    whole_seconds: float = 60.0  # of reading an answer
    largest_bytes: int = 1_000_000  # of a body, decompressed; a page of results has some 40,000
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # names in any case
    text: str  # the body as UTF-8, what is not replaced by U+FFFD

    def retry_after_seconds(self) -> float | None:
        """What the Retry-After header asks for, in either of its forms; None if it does not.

        A date counts from the answer's own Date, so that our clock does not matter.
        """
        asked = self.headers.get("Retry-After", "").strip()
        if _SECONDS.fullmatch(asked):
            return float(asked)
        try:
            until = parsedate_to_datetime(asked)
            since = parsedate_to_datetime(self.headers.get("Date", ""))
            return max((until - since).total_seconds(), 0.0)
        except (TypeError, ValueError):  # no date, or one with and one without a time zone
            return None


def engine_session() -> requests.Session:
    """A session for one search, which knows nothing of others; what it sends is kept as evidence."""
    session = requests.Session()
    tape_session(session)
    return session


def ask_engine(
    engine: str,
    session: requests.Session,
    method: str,
    url: str,
    *,
    limits: Limits,
    headers: Mapping[str, str],
    params: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> Answer:
    """The answer of `engine`, whatever its status.

    Raises Outage if none came whole, UnknownAnswer if it is larger than a search's answer can be. No
    message holds the URL, and nothing is chained: errors of the library quote it, with a key in it.
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
            timeout=(limits.connect_seconds, limits.silence_seconds),
        ) as response:
            body = _read(engine, response, limits)
            return Answer(response.status_code, response.headers, body.decode("utf-8", "replace"))
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        failure = f"the connection failed ({_innermost(error)})"
    raise Outage(engine, failure)  # outside of the handler: without the error as its context


def encodable(text: str) -> str:
    """The text with lone surrogates, which no URL can carry, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _read(engine: str, response: requests.Response, limits: Limits) -> bytes:
    """The body, piece by piece as it comes: waiting for full pieces would let a trickle go on for hours."""
    until = limits.clock() + limits.whole_seconds
    body = bytearray()
    while piece := response.raw.read1(_CHUNK_BYTES, decode_content=True):
        body += piece
        if len(body) > limits.largest_bytes:
            raise UnknownAnswer(
                f"{engine} answered with more than {limits.largest_bytes} bytes, expected a page of "
                "results. Look at what stands at its address."
            )
        if limits.clock() > until:
            raise Outage(engine, f"its answer was not complete after {limits.whole_seconds:g} s")
    return bytes(body)


def _innermost(error: BaseException) -> str:
    """The name of the error that began it, such as ConnectionResetError."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return type(error).__name__
