"""When a request may be sent: slots, token buckets, and what a server says about being too busy.

Covers how many requests are in flight, requests and tokens per minute, pauses that a server asks for, and
fewer requests at once after it did (additive increase, multiplicative decrease, as congestion control
does it). Who waits longest for nothing: whoever begins the longest chain is let through first.
It knows no model: failures are told by `Pace.limited`, successes by `Pace.succeeded`.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bfcl_pipeline.config import Limits

BURST_SECONDS = 10.0
"""What a bucket holds: so much time's worth of requests or tokens may be used at once."""

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
"""Pauses after a refusal that names no time: doubled at each further one, until an answer comes."""

LONGEST_OBEYED_SECONDS = 600.0
"""A server that asks for more than this is asked again after it."""

SHORTEST_WAIT_SECONDS = 1e-6
"""Less is what rounding leaves."""


@dataclass(frozen=True, slots=True)
class Permit:
    """What a request was let through with."""

    epoch: int  # how often the number at once had been reduced before
    tokens: float  # what was taken from the bucket for it


@dataclass(slots=True)
class Bucket:
    """A token bucket: it fills at a steady rate, and what is taken may be corrected afterwards."""

    per_minute: float
    level: float
    at: float  # the time of `level`

    @classmethod
    def full(cls, per_minute: float, now: float) -> Bucket:
        """A bucket of `per_minute`, filled."""
        return cls(per_minute, cls._capacity(per_minute), now)

    @staticmethod
    def _capacity(per_minute: float) -> float:
        return max(1.0, per_minute * BURST_SECONDS / 60)

    def wait_seconds(self, amount: float, now: float) -> float:
        """How long until `amount` may be taken; more than it holds may be taken once it is full."""
        capacity = self._capacity(self.per_minute)
        self.level = min(capacity, self.level + (now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, (min(amount, capacity) - self.level) * 60 / self.per_minute)

    def take(self, amount: float) -> None:
        """Takes `amount`; negative gives back. The level may fall below zero."""
        self.level -= amount


class Pace:
    """Lets requests through, most urgent first."""

    def __init__(self, limits: Limits, clock: Callable[[], float] | None = None) -> None:
        """`clock`: seconds that go on steadily; None: those of the running event loop."""
        self._clock = clock or asyncio.get_running_loop().time
        self._most = limits.in_flight
        self._allowed = float(limits.in_flight)  # what the server was seen to bear
        self._sent = 0
        self._epoch = 0  # counts reductions: what was sent before one is no reason for another
        self._paused_until = 0.0
        self._pauses = 0  # in a row, without an answer between them
        self._waiting: list[tuple[int, int, float, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._wake: asyncio.TimerHandle | None = None
        now = self._clock()
        self._requests = _bucket(limits.requests_per_minute, now)
        self._tokens = _bucket(limits.tokens_per_minute, now)
        self._tokens_each = 0.0  # output tokens of a request, as a running mean

    @property
    def in_flight(self) -> int:
        """Requests that were let through and have not come back."""
        return self._sent

    @property
    def pause_seconds(self) -> float:
        """How long no request is let through because the server asked for it; 0 if it did not."""
        return max(0.0, self._paused_until - self._clock())

    @asynccontextmanager
    async def slot(self, urgency: int, input_tokens: int = 0) -> AsyncIterator[Permit]:
        """Waits for its turn; then a request is in flight until the block is left.

        urgency: greater goes first. input_tokens: an estimate; `succeeded` corrects it.
        """
        expected = input_tokens + self._tokens_each
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-urgency, self._arrivals, expected, turn))
        self._arrivals += 1
        self._let_through()
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
        """An answer came; the tokens are what it told of itself, None if nothing."""
        if self._tokens is not None and input_tokens is not None and output_tokens is not None:
            self._tokens.take(input_tokens + output_tokens - permit.tokens)
            self._tokens_each += (output_tokens - self._tokens_each) / 16
        self._pauses = 0
        self._allowed = min(self._most, self._allowed + 1 / self._allowed)

    def limited(self, permit: Permit, wait_seconds: float | None) -> None:
        """The server was too busy for a request. wait_seconds: as it asks for; None: it does not say."""
        if permit.epoch == self._epoch:  # else the number was reduced since, for the same reason
            self._epoch += 1
            self._allowed = max(1.0, self._allowed / 2)
            self._pauses += 1
        if wait_seconds is None:
            wait_seconds = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._pauses - 1), LONGEST_PAUSE_SECONDS)
        wait_seconds = min(wait_seconds, LONGEST_OBEYED_SECONDS)
        self._paused_until = max(self._paused_until, self._clock() + wait_seconds)

    def _leave(self) -> None:
        self._sent -= 1
        self._let_through()

    def _let_through(self) -> None:
        """Lets all through that may go now; if only time is missing, comes back when it has passed."""
        while self._waiting and self._sent < int(self._allowed):
            expected, turn = self._waiting[0][2:]
            if turn.done():  # given up
                heapq.heappop(self._waiting)
                continue
            wait = self._wait_seconds(expected)
            if wait > SHORTEST_WAIT_SECONDS:
                self._come_back(wait)
                return
            heapq.heappop(self._waiting)
            if self._requests is not None:
                self._requests.take(1)
            if self._tokens is not None:
                self._tokens.take(expected)
            self._sent += 1
            turn.set_result(None)

    def _wait_seconds(self, expected_tokens: float) -> float:
        now = self._clock()
        return max(
            self._paused_until - now,
            self._requests.wait_seconds(1, now) if self._requests is not None else 0.0,
            self._tokens.wait_seconds(expected_tokens, now) if self._tokens is not None else 0.0,
        )

    def _come_back(self, seconds: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = asyncio.get_running_loop().call_later(seconds, self._let_through)


def _bucket(per_minute: float | None, now: float) -> Bucket | None:
    return None if per_minute is None else Bucket.full(per_minute, now)
