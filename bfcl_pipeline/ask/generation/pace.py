"""When a request may be sent: slots, token buckets, rate limits and failures that a server reports.

Covers the number of requests in flight, requests and tokens per minute, pauses that a server demands, and
fewer requests at once after it did (additive increase, multiplicative decrease, as in congestion control).
The request at the start of the longest chain goes first. The caller reports rate limits (`Pace.limited`)
and successes (`Pace.succeeded`).

A job sends nothing more if its model does not answer any request. Some failures concern all requests: no
connection, a rejected key or model name, a body that the API refuses every time. A single such failure is
the matter of its entry; several in a row mean that the others would fail as well. So do outages after
answers: many requests in a row that were given up.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bfcl_pipeline.base.errors import AccessDenied, ModelError, NoConnection, RequestRefused
from bfcl_pipeline.benchmark.config import RequestLimits

BURST_SECONDS = 10.0
"""Capacity of a bucket, as time: the requests or tokens of that time may be used at once."""

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
"""Pauses after a rate limit without a time: doubled at each further one, until a request succeeds."""

LONGEST_OBEYED_SECONDS = 600.0
"""The longest pause that a server may demand; a longer one is cut to this."""

SHORTEST_WAIT_SECONDS = 1e-6
"""Waits below this are rounding errors."""


@dataclass(frozen=True, slots=True)
class Permit:
    """The permission to send one request."""

    epoch: int  # reductions of the number in flight before it
    tokens: float  # taken from the bucket for it


class Bucket:
    """A token bucket: it fills at a constant rate; what is taken may be corrected later."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        """A full bucket. per_minute: None: nobody waits for it."""
        self._each_second = (per_minute or 0.0) / 60
        self._capacity = max(1.0, self._each_second * BURST_SECONDS)
        self._level, self._at = self._capacity, now

    def wait_seconds(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken; more than its capacity may be taken once it is full."""
        if not self._each_second:
            return 0.0
        self._level = min(self._capacity, self._level + (now - self._at) * self._each_second)
        self._at = now
        return max(0.0, (min(amount, self._capacity) - self._level) / self._each_second)

    def take(self, amount: float) -> None:
        """Takes `amount`; a negative one is returned. The level may fall below zero."""
        self._level -= amount


class Pace:
    """Admits requests, most urgent first."""

    def __init__(self, limits: RequestLimits, clock: Callable[[], float] | None = None) -> None:
        """clock: monotonic seconds; None: those of the running event loop."""
        self._clock = clock or asyncio.get_running_loop().time
        self._most = limits.in_flight
        self._allowed = float(limits.in_flight)  # as many as the server has accepted
        self._sent = 0
        self._epoch = 0  # number of reductions: a request sent before one causes no other
        self._paused_until = 0.0
        self._pauses = 0  # in a row, without a success between them
        self._waiting: list[tuple[int, int, float, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._wake: asyncio.TimerHandle | None = None
        now = self._clock()
        self._requests = Bucket(limits.requests_per_minute, now)
        self._tokens = Bucket(limits.tokens_per_minute, now)
        self._tokens_each = 0.0  # output tokens of a request, as a running mean

    @property
    def in_flight(self) -> int:
        """Requests that were admitted and have not ended."""
        return self._sent

    @property
    def pause_seconds(self) -> float:
        """Seconds for which no request is admitted as the server demanded a pause; 0 without one."""
        return max(0.0, self._paused_until - self._clock())

    @asynccontextmanager
    async def slot(self, urgency: int, input_tokens: int = 0) -> AsyncIterator[Permit]:
        """Waits until the request may be sent; it is in flight until the block ends.

        urgency: greater goes first. input_tokens: an estimate; `succeeded` corrects it.
        """
        expected = input_tokens + self._tokens_each
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-urgency, self._arrivals, expected, turn))
        self._arrivals += 1
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise
        try:
            yield Permit(self._epoch, expected)
        finally:
            self._leave()

    def succeeded(self, permit: Permit, input_tokens: int | None, output_tokens: int | None) -> None:
        """Notes a success. Tokens: as the answer reports them; None if it does not."""
        if input_tokens is not None and output_tokens is not None:
            self._tokens.take(input_tokens + output_tokens - permit.tokens)
            self._tokens_each += (output_tokens - self._tokens_each) / 16
        self._pauses = 0
        self._allowed = min(self._most, self._allowed + 1 / self._allowed)

    def limited(self, permit: Permit, wait_seconds: float | None) -> None:
        """Notes a rate limit. wait_seconds: the pause that the server demands; None: it names none."""
        if permit.epoch == self._epoch:  # else the number has been reduced since, for the same reason
            self._epoch += 1
            self._allowed = max(1.0, self._allowed / 2)
            self._pauses += 1
        if wait_seconds is None:
            wait_seconds = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._pauses - 1), LONGEST_PAUSE_SECONDS)
        wait_seconds = min(wait_seconds, LONGEST_OBEYED_SECONDS)
        self._paused_until = max(self._paused_until, self._clock() + wait_seconds)

    def _leave(self) -> None:
        self._sent -= 1
        self._admit()

    def _admit(self) -> None:
        """Admits all requests that may be sent now; if only time is missing, calls itself after it."""
        while self._waiting and self._sent < int(self._allowed):
            expected, turn = self._waiting[0][2:]
            if turn.done():  # cancelled
                heapq.heappop(self._waiting)
                continue
            wait = self._wait_seconds(expected)
            if wait > SHORTEST_WAIT_SECONDS:
                self._admit_later(wait)
                return
            heapq.heappop(self._waiting)
            self._requests.take(1)
            self._tokens.take(expected)
            self._sent += 1
            turn.set_result(None)

    def _wait_seconds(self, expected_tokens: float) -> float:
        now = self._clock()
        return max(
            self._paused_until - now,
            self._requests.wait_seconds(1, now),
            self._tokens.wait_seconds(expected_tokens, now),
        )

    def _admit_later(self, seconds: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = asyncio.get_running_loop().call_later(seconds, self._admit)


STOP_AFTER = 20
"""Failures of one kind in a row, without an answer between them, after which nothing more is sent."""

OUTAGE = 2
"""If this many times `in_flight` requests in a row were given up, it is an outage: no more are sent."""

_AT_THE_START: Mapping[type[ModelError], bool] = {
    NoConnection: True,
    AccessDenied: False,
    RequestRefused: True,
}
"""The kinds of failure, and whether they only count before the first answer of the job."""


@dataclass(slots=True)
class FailureStreak:
    """The failed attempts since the last answer."""

    in_flight: int  # maximum number of requests in flight
    _kind: type[ModelError] | None = None  # of the failures in a row
    _failures: int = 0
    _given_up: int = 0  # requests in a row, of any kind of failure
    _last_given_up: str = ""
    _answered: bool = False  # whether any request was
    _reason: str = ""  # why nothing more is sent; empty: requests are sent

    def answered(self) -> None:
        """Notes an answer."""
        self._answered = True
        self._failures = self._given_up = 0

    def failed(self, error: ModelError, waiting: int) -> None:
        """Notes a failed attempt.

        Args:
            error: the failure.
            waiting: requests that wait for an answer, this one included; a small job fails before 20 do.
        """
        kind = next((kind for kind in _AT_THE_START if isinstance(error, kind)), None)
        self._failures = self._failures + 1 if kind is self._kind else 1
        self._kind = kind
        if kind is None or self._reason or (self._answered and _AT_THE_START[kind]):
            return
        limits = {NoConnection: 2 * waiting, AccessDenied: self.in_flight}
        if self._failures >= min(STOP_AFTER, limits.get(kind, STOP_AFTER)):
            self._reason = str(error)

    def gave_up(self, error: ModelError) -> None:
        """Notes a request that is not sent again."""
        self._given_up, self._last_given_up = self._given_up + 1, str(error)

    def check(self) -> None:
        """Raises ModelError if nothing more is to be sent."""
        if self._reason:
            which = "the last requests" if self._answered else "the first requests"
            raise ModelError(f"not sent: {which} all failed: {self._reason}")

    def check_outage(self) -> None:
        """Raises ModelError if so many requests in a row were given up that no other one is begun.

        Those that wait for a slot already are still sent: an answer to one of them ends the outage.
        """
        if self._given_up >= max(2, OUTAGE * self.in_flight):
            raise ModelError(
                f"not sent: the {self._given_up} requests before it all failed, the last one because: "
                f"{self._last_given_up}"
            )
