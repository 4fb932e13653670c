"""API backend: answers requests from the journal, else from a remote API within its limits.

Covers one request from its body to a durable exchange: found in the journal, or sent, retried, validated,
priced and appended. An answer is used only once the journal has it, so that nothing is paid for twice. The
exception type identifies the failure (`bfcl_pipeline.base.errors`).
"""

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bfcl_pipeline.ask.generation.backends import Adapter, Backend, Session
from bfcl_pipeline.ask.generation.chains import expected_requests
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.pace import LONGEST_PAUSE_SECONDS, FailureStreak, Pace
from bfcl_pipeline.base.errors import (
    AccessDenied,
    BudgetSpent,
    ModelError,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.benchmark.config import RequestLimits
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request, token_dollars
from bfcl_pipeline.runs.journal import Journal, JournaledExchange, exchange_key

PATIENCE = 5
"""Factor on `attempts` for requests that a busy server refuses: it will have room again."""

OPEN_AT_ONCE = 8
"""Open conversations for each request in flight, so that some of the long chains are always ready."""

CHARACTERS_PER_TOKEN = 4
"""Estimates the tokens of a request before the server has counted them."""


@dataclass(frozen=True, slots=True)
class RunTerms:
    """Prices, budget and trial of a model in one run."""

    run: str | None  # name of the run, written into the journal with each cost
    provenance: str  # SHA-256 of the record of what makes the answers
    trial: int = 1  # repetition of the benchmark, from 1
    input_price: float | None = None  # US dollars for a million tokens sent
    output_price: float | None = None  # US dollars for a million tokens received
    budget: float | None = None  # US dollars that the run may cost, in all shards together; None: no limit

    def dollars(self, exchange: Exchange) -> float | None:
        """The price of an exchange in US dollars; None if prices or tokens are not known."""
        return token_dollars(
            exchange.input_tokens, exchange.output_tokens, self.input_price, self.output_price
        )


class ApiBackend(Backend):
    """A model behind an API, with many requests at once."""

    def __init__(
        self,
        adapter: Adapter,
        journal: Journal,
        limits: RequestLimits,
        terms: RunTerms,
        counts: ProgressCounts,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """To be created in the event loop that uses it. now: the time that the journal notes."""
        self.asking = adapter.asking
        self.open_at_once = OPEN_AT_ONCE * limits.in_flight
        self._adapter = adapter
        self._journal = journal
        self._limits = limits
        self._terms = terms
        self._counts = counts
        self._now = now
        self._pace = Pace(limits)
        self._computing = asyncio.Lock()  # one body at a time: between two, answers are processed
        self._paid = journal.spent(terms.run) if terms.budget is not None else 0.0  # not by other shards
        counts.budget = terms.budget
        self._count_spent()
        self._priced = 0  # exchanges of this job that have a price, and
        self._prices = 0.0  # what they cost
        self._streak = FailureStreak(limits.in_flight)
        self._web_stopped = ""  # why requests of web questions are not sent; empty: they are
        self._waiting = 0  # requests that are sent until they have an answer or are given up

    def session(self, entry: Entry, chain: int) -> Session:
        """What answers the requests of `entry`; `chain` decides how urgent they are."""
        steps_after_turns = chain - expected_requests(entry)
        turns = max(1, len(entry.turns))

        async def answer(request: Request) -> Exchange:
            left = expected_requests(entry) * (turns - request.turn) // turns
            return await self._exchange(entry, request, left + steps_after_turns)

        return answer

    def web_stopped(self, reason: str) -> None:
        """Notes that nothing can be searched any more: web questions are answered from the journal."""
        self._web_stopped = self._web_stopped or reason

    async def _exchange(self, entry: Entry, request: Request, urgency: int) -> Exchange:
        async with self._computing:
            body = self._adapter.body(request)
            key = exchange_key(self._adapter.identity, entry.entry_id, self._terms.trial, body)
        journaled = self._journal.find(key)
        if journaled is None:
            if self._web_stopped and CATEGORIES[entry.category].check is Check.WEB_SEARCH:
                raise ModelError(f"not sent: {self._web_stopped}")
            self._waiting += 1
            try:
                journaled, exchange = await self._request(key, entry, request, body, urgency)
            finally:
                self._waiting -= 1
        else:
            exchange = self._adapter.read(request, journaled.raw)
            self._counts.found(journaled.received_at)
        return replace(exchange, latency_seconds=journaled.latency_seconds)

    async def _request(
        self, key: str, entry: Entry, request: Request, body: Json, urgency: int
    ) -> tuple[JournaledExchange, Exchange]:
        """Sends `body` until there is an answer that can be read, and writes it to the journal."""
        failed = busy = 0
        wait = self._limits.retry_seconds
        while True:
            self._streak.check()
            self._streak.check_outage()
            try:
                raw, exchange, seconds = await self._attempt(request, body, urgency)
                break
            except (AccessDenied, RequestRefused) as error:
                self._counts.attempt_failed(error)
                self._streak.failed(error, self._waiting)
                raise
            except RateLimited as error:
                self._counts.attempt_failed(error)
                busy += 1
                if busy >= PATIENCE * self._limits.attempts:
                    self._streak.gave_up(error)
                    raise
            except Transient as error:
                self._counts.attempt_failed(error)
                self._streak.failed(error, self._waiting)
                failed += 1
                if failed >= self._limits.attempts:
                    self._streak.gave_up(error)
                    raise
                await asyncio.sleep(_spread(key, failed) * wait)
                wait = min(2 * wait, LONGEST_PAUSE_SECONDS)
            self._counts.retries += 1
        self._streak.answered()
        sent = JournaledExchange(
            key=key,
            entry_id=entry.entry_id,
            trial=self._terms.trial,
            turn=request.turn,
            raw=raw,
            latency_seconds=seconds,
            input_tokens=exchange.input_tokens,
            output_tokens=exchange.output_tokens,
            dollars=self._terms.dollars(exchange),
            run=self._terms.run,
            provenance=self._terms.provenance,
            received_at=self._now().isoformat(timespec="milliseconds"),
        )
        journaled = await self._journal.append(sent)
        self._counts.answered(exchange, sent.dollars)  # only now: the screen says that it is saved
        # An API key echoed by the model is redacted in both, so that a replay finds what was used here.
        return journaled, exchange if journaled is sent else self._adapter.read(request, journaled.raw)

    async def _attempt(self, request: Request, body: Json, urgency: int) -> tuple[Json, Exchange, float]:
        """The raw answer to one request, the exchange it completes and the seconds it took."""
        tokens = len(json.dumps(body)) // CHARACTERS_PER_TOKEN if self._limits.tokens_per_minute else 0
        async with self._pace.slot(urgency, tokens) as permit:
            self._streak.check()
            await self._check_budget()
            self._counts.requests_in_flight += 1
            started = time.perf_counter()
            try:
                async with asyncio.timeout(self._limits.seconds):
                    raw = await self._adapter.send(body)
            except RateLimited as error:
                self._pace.limited(permit, error.wait_seconds)
                self._counts.pause(time.monotonic() + self._pace.pause_seconds, "the server is too busy")
                raise
            except TimeoutError as error:
                raise Transient(f"no answer within {self._limits.seconds:g} s") from error
            finally:
                self._counts.requests_in_flight -= 1
            seconds = time.perf_counter() - started
            exchange = self._adapter.read(request, raw)
            self._pace.succeeded(permit, exchange.input_tokens, exchange.output_tokens)
            self._pay(exchange)
            return raw, exchange, seconds

    async def _check_budget(self) -> None:
        """Raises BudgetSpent if the requests in flight, at their mean price, would use up the budget."""
        budget = self._terms.budget
        if budget is None:
            return
        await self._journal.written()  # other shards count what is on disk
        each = self._prices / self._priced if self._priced else 0.0
        spent = self._spent()
        if spent + self._pace.in_flight * each >= budget:
            raise BudgetSpent(
                f"the budget of ${budget:,.2f} is spent (${spent:,.2f}, with what is in flight); "
                "raise it and run again to go on"
            )

    def _spent(self) -> float:
        """US dollars of the budget that are spent, by other shards too, whose journals are read on."""
        return self._paid + self._journal.spent_by_siblings(self._terms.run)

    def _pay(self, exchange: Exchange) -> None:
        dollars = self._terms.dollars(exchange)
        if dollars is not None:
            self._paid += dollars
            self._prices += dollars
            self._priced += 1
            self._count_spent()

    def _count_spent(self) -> None:
        """Reports how much of the budget is spent, if there are prices to count it with."""
        if None not in (self._terms.budget, self._terms.input_price, self._terms.output_price):
            self._counts.spent = self._spent()


def _spread(key: str, attempt: int) -> float:
    """A factor from 0.5 to 1, so that requests that failed together are not repeated together."""
    return random.Random(f"{key} {attempt}").uniform(0.5, 1.0)  # noqa: S311  # no secret
