"""Asking a search engine: bounds on a request, failures, retries, and when it is not asked any more.

Covers which failures of a search engine, or of another web API, are worth another attempt, how long to wait
before it, and the error when none is left. Nothing here depends on a particular engine. The number is
always bounded: the official tool retries a rate limit without end, so that a run hangs instead of reporting
it. After several searches in a row without an answer a job stops asking: further ones would only make a
refusal last longer.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from bfcl_pipeline.base.errors import ConfigError, NotRecorded, WebError
from bfcl_pipeline.world.tools.web_search.web import Hits, WebFailure
from bfcl_pipeline.world.web.evidence.playing import player
from bfcl_pipeline.world.web.http_client import HttpLimits

NOT_RETRIEVED = "Failed to retrieve the search results from server. Please try again later."
"""The text a model sees for a search that the engine does not accept, as in the release."""

STOP_AFTER = 3
"""Searches in a row that were refused or not answered, after which nothing is asked any more."""

STOP_AFTER_UNKNOWN = 10
"""The same for answers that cannot be read, which may depend on what is searched."""

LIMITS = HttpLimits(
    connect_seconds=10, read_seconds=20, total_seconds=60, received_bytes=2_000_000, body_bytes=2_000_000
)
"""Bounds on one request of a search, of any engine; its answer has 40,000 to some 1,000,000 bytes."""

T = TypeVar("T")


class Engine(Protocol):
    """A search engine."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError if it does not answer after its retries."""


class UnknownAnswer(WebError):
    """An answer in a format that cannot be read; a retry would not help."""


class SearchUnavailable(WebError):
    """A search engine, or another web API, that did not answer now and may answer later."""

    subject: ClassVar[str] = "The search engine"
    """What did not answer, before its name."""

    advice: ClassVar[str]
    """What a user can do when retries did not help."""

    def __init__(self, engine: str, failure: str, retry_after_seconds: float | None = None) -> None:
        """retry_after_seconds: the wait that the engine requests, if any."""
        super().__init__(engine, failure, retry_after_seconds)  # all arguments, so that it can be pickled
        self.engine = engine
        self.failure = failure
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return f"{self.engine}: {self.failure}"


class SearchRateLimited(SearchUnavailable):
    """The engine refuses because of too many requests, or because it takes the client for a robot."""

    advice = (
        "Wait an hour and run again with a longer web_pause, go through another proxy (web_proxy), or use "
        "the other search engine. What is recorded is not asked again."
    )


class Outage(SearchUnavailable):
    """The engine cannot be reached, closes the connection, or reports a failure of its own."""

    advice = (
        "Check the connection and the proxy (web_proxy) and run again later, or use the other search "
        "engine. What is recorded is not asked again."
    )


def encodable(text: str) -> str:
    """The text with lone surrogates, which a URL cannot contain, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How many attempts a search has and how long to wait between them."""

    attempts: int = 5  # including the first
    first_wait_seconds: float = 5.0  # doubled before each further attempt
    longest_wait_seconds: float = 120.0  # of one wait; if the engine requests more, retries end
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random  # 0 to 1, drawn for each wait

    def __call__(self, request: Callable[[], T]) -> T:
        """The result of `request`, repeated while it raises SearchUnavailable and attempts are left.

        A wait lasts between half and all of its length, so that parallel workers do not return at the same
        moment, and never less than the engine's Retry-After. Within `playing` nothing is waited for.

        Raises:
            WebError: no attempt is left, or the engine requests a longer wait than the longest.
            ConfigError: there is less than one attempt.
        """
        if self.attempts < 1:
            raise ConfigError(f"Expected at least one attempt for a web request, got {self.attempts}.")
        for attempt in range(1, self.attempts + 1):
            try:
                return request()
            except SearchUnavailable as error:
                requested = error.retry_after_seconds or 0.0
                if attempt == self.attempts or requested > self.longest_wait_seconds:
                    raise WebError(self._final_text(error, attempt, requested)) from error
            wait = min(self.first_wait_seconds * 2 ** min(attempt - 1, 60), self.longest_wait_seconds)
            self.pause(max(wait * (1 + self.jitter()) / 2, requested))
        raise AssertionError("the last attempt returns or raises")

    def pause(self, seconds: float) -> None:
        """Waits; not within `playing`, where what was waited for is on the cassette."""
        if player() is None:
            self.sleep(seconds)

    def _final_text(self, error: SearchUnavailable, attempts: int, requested: float) -> str:
        times = "once" if attempts == 1 else f"{attempts} times"
        longer = f" It requests a wait of {requested:g} s." if requested > self.longest_wait_seconds else ""
        return (
            f"{error.subject} {error.engine} failed {times}; the last failure: "
            f"{error.failure}.{longer} {error.advice}"
        )


class Breaker:
    """Ends the requests to a search engine or host that has ceased to answer."""

    def __init__(self, asked: str, stopped: type[WebError]) -> None:
        """asked: what is counted, such as searches. stopped: what is raised once nothing is asked."""
        self._asked = asked
        self._stopped = stopped
        self._lock = threading.Lock()
        self._failed: Counter[str] = Counter()  # by name, in a row
        self._unread: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}  # by name, why it is not asked any more

    def __call__(self, name: str, request: Callable[[], T]) -> T:
        """The result of `request` to `name`. Raises what it raises, or that nothing is asked any more."""
        if name in self._reasons:
            raise self._stopped(self._reasons[name])
        try:
            found = request()
        except NotRecorded:  # it has answered, or was not asked
            raise
        except WebError as error:
            with self._lock:
                self._note(name, error)
            raise
        with self._lock:
            self._failed[name] = self._unread[name] = 0
        return found

    def _note(self, name: str, error: WebError) -> None:
        (self._unread if isinstance(error, UnknownAnswer) else self._failed)[name] += 1
        if self._failed[name] >= STOP_AFTER or self._unread[name] >= STOP_AFTER_UNKNOWN:
            in_a_row = self._failed[name] + self._unread[name]
            self._reasons.setdefault(
                name,
                f"{name} did not answer {in_a_row} {self._asked} in a row and is not asked again in this "
                f"job. The last failure: {error}",
            )
