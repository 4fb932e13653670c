"""Asking again after a rate limit or an outage: a few times, longer apart each time, then no more.

Covers which failures of a search engine are worth another attempt, how long to wait before it, and what
is said when there is none left. Nothing here knows a particular engine. It never asks for ever: the
official tool repeats a rate limit without end, and a run then hangs where it could have said so.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from bfcl_pipeline.errors import ConfigError, WebError

T = TypeVar("T")

ATTEMPTS = 5
FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 120.0


class Unanswered(WebError):
    """A search engine that did not answer now and may later."""

    advice: ClassVar[str]
    """What to do when waiting did not help."""

    def __init__(self, engine: str, what_came: str, retry_after_seconds: float | None = None) -> None:
        """retry_after_seconds: what the engine itself asks for, None if it says nothing."""
        super().__init__(engine, what_came, retry_after_seconds)  # all of them, so that it can be pickled
        self.engine = engine
        self.what_came = what_came
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return f"{self.engine}: {self.what_came}"


class RateLimited(Unanswered):
    """The engine refuses because it was asked too often, or takes us for a robot."""

    advice = "Leave it alone for an hour and run again, or use another search engine."


class Outage(Unanswered):
    """The engine cannot be reached, breaks off, or says itself that it failed."""

    advice = "Check the connection and run again later, or use another search engine."


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to ask and how long to wait in between."""

    attempts: int = ATTEMPTS  # the first one included
    first_wait_seconds: float = FIRST_WAIT_SECONDS  # doubled before each further attempt
    longest_wait_seconds: float = (
        LONGEST_WAIT_SECONDS  # of one wait; an engine that asks for more is given up
    )
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random  # 0 to 1, drawn for each wait

    def __call__(self, ask: Callable[[], T]) -> T:
        """What `ask` returns at last; see `patiently`."""
        return patiently(
            ask, self.attempts, self.first_wait_seconds, self.longest_wait_seconds, self.sleep, self.jitter
        )


def patiently(
    ask: Callable[[], T],
    attempts: int = ATTEMPTS,
    first_wait_seconds: float = FIRST_WAIT_SECONDS,
    longest_wait_seconds: float = LONGEST_WAIT_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
    jitter: Callable[[], float] = random.random,
) -> T:
    """What `ask` returns, asked again while it raises RateLimited or Outage and attempts are left.

    A wait lasts between half and all of its length, so that several workers do not come back at once,
    and never less than the engine's own Retry-After. Raises WebError when attempts run out or the
    engine asks for a longer wait than the longest; any other error of `ask` at once.
    """
    if attempts < 1:
        raise ConfigError(f"Expected at least one attempt to ask the web, got {attempts}.")
    for attempt in range(1, attempts + 1):
        try:
            return ask()
        except Unanswered as error:
            wanted = error.retry_after_seconds or 0.0
            if attempt == attempts or wanted > longest_wait_seconds:
                raise WebError(_given_up(error, attempt, longest_wait_seconds)) from error
        wait = min(first_wait_seconds * 2 ** min(attempt - 1, 60), longest_wait_seconds)
        sleep(max(wait * (1 + jitter()) / 2, wanted))
    raise AssertionError("the last attempt returns or raises")


def _given_up(error: Unanswered, attempts: int, longest_wait_seconds: float) -> str:
    times = "once" if attempts == 1 else f"{attempts} times"
    wanted = error.retry_after_seconds or 0.0
    asked = f" It asks to wait {wanted:g} s." if wanted > longest_wait_seconds else ""
    return (
        f"The search engine {error.engine} was asked {times} and did not answer; at last: "
        f"{error.what_came}.{asked} {error.advice}"
    )
