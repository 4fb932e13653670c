"""Bounds on an exchange over HTTP: the time of the whole, the size of headers and of a decoded body."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from requests import Response

from bfcl_pipeline.world.web.evidence.tape import give_up
from bfcl_pipeline.world.web.transport import FetchConnections, TooMuch

T = TypeVar("T")

_CHUNK = 65_536

_POLL_SECONDS = 0.2  # between two looks at a time limit that stands still


class OutOfTime(Exception):
    """The time for the whole exchange is over."""


class TimeLimit:
    """The time for an exchange; it stands still while the exchange waits for its turn."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """It begins now."""
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds
        self._stopped_at: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._stopped_at is None and self._clock() >= self._end

    def left(self) -> float:
        """Seconds until it may be over."""
        if self._stopped_at is not None:
            return _POLL_SECONDS
        return max(0.0, self._end - self._clock())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The block is not part of the time."""
        self._stopped_at = self._clock()
        try:
            yield
        finally:
            self._end += self._clock() - self._stopped_at
            self._stopped_at = None


def in_time(work: Callable[[], T], connections: FetchConnections, limit: TimeLimit) -> T:
    """The result of `work`, which uses `connections`. Raises OutOfTime, and what `work` raises."""
    # In its own thread: no socket timeout stops a server that sends single bytes slowly, or a slow name
    # lookup. After the time limit the connections are shut down, which ends the thread.
    outcome: Future[T] = Future()
    run = copy_context().run  # the thread adds to the tape of this one
    Thread(target=run, args=(_run, work, connections, outcome), name="fetch", daemon=True).start()
    while not wait([outcome], limit.left()).done:
        if limit.is_over:
            over = OutOfTime(f"(total timeout={limit.seconds})")
            give_up(over)
            connections.cut()
            raise over
    try:
        return outcome.result()
    except OutOfTime as error:  # played from a cassette, it may have no text
        raise OutOfTime(str(error) or f"(total timeout={limit.seconds})") from None


def _run(work: Callable[[], T], connections: FetchConnections, outcome: Future[T]) -> None:
    try:
        with closing(connections):
            result = work()
    except BaseException as error:  # noqa: BLE001  # raised again by outcome.result()
        outcome.set_exception(error)
    else:
        outcome.set_result(result)


def check_head(response: Response, most_bytes: int) -> None:
    """Closes the response and raises TooMuch if its headers have more than `most_bytes`."""
    if sum(len(name) + len(value) for name, value in response.headers.items()) > most_bytes:
        response.close()
        error = TooMuch(f"Headers of more than {most_bytes:,} bytes")
        give_up(error)
        raise error


def read_body(response: Response, most_bytes: int) -> bytes:
    """The decoded body. Raises TooMuch if it has more than `most_bytes`."""
    body = bytearray()
    for chunk in response.iter_content(_CHUNK):  # decoded in chunks, against zip bombs
        body += chunk
        if len(body) > most_bytes:
            raise TooMuch(f"Content of more than {most_bytes:,} bytes")
    return bytes(body)
