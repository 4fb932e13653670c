"""Retries of searches after a rate limit or an outage: bounded in number, with growing waits.

Covers which failures of a search engine, or of another web API, are worth another attempt, how long to wait
before it, and the error when none is left. Nothing here depends on a particular engine. The number is
always bounded: the official tool retries a rate limit without end, so that a run hangs instead of reporting
it.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.world.web.evidence.playing import player

T = TypeVar("T")


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
        "another search engine (search_engine). What is recorded is not asked again."
    )


class Outage(SearchUnavailable):
    """The engine cannot be reached, closes the connection, or reports a failure of its own."""

    advice = (
        "Check the connection and the proxy (web_proxy) and run again later, or use another search engine "
        "(search_engine). What is recorded is not asked again."
    )


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
            if player() is not None:  # what was waited for is on the cassette
                continue
            wait = min(self.first_wait_seconds * 2 ** min(attempt - 1, 60), self.longest_wait_seconds)
            self.sleep(max(wait * (1 + self.jitter()) / 2, requested))
        raise AssertionError("the last attempt returns or raises")

    def _final_text(self, error: SearchUnavailable, attempts: int, requested: float) -> str:
        times = "once" if attempts == 1 else f"{attempts} times"
        longer = f" It requests a wait of {requested:g} s." if requested > self.longest_wait_seconds else ""
        return (
            f"{error.subject} {error.engine} failed {times}; the last failure: "
            f"{error.failure}.{longer} {error.advice}"
        )
