"""Asking a model behind a wire: journal first, then the wire at the pace that is allowed.

Covers one request from its body to a durable exchange: found in the journal, or sent, retried, validated,
priced and appended. An answer is used only once the journal holds it, so that nothing paid for is asked
twice. What it was that failed is told by the type of the error (`bfcl_pipeline.errors`).
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bfcl_pipeline.config import Limits
from bfcl_pipeline.errors import BudgetSpent, ModelError, RateLimited, Transient
from bfcl_pipeline.generation.asker import Ask
from bfcl_pipeline.generation.chains import expected_requests
from bfcl_pipeline.generation.journal import Journal, Kept, exchange_key
from bfcl_pipeline.generation.model import Wire
from bfcl_pipeline.generation.pace import LONGEST_PAUSE_SECONDS, Pace
from bfcl_pipeline.generation.tally import Tally
from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Entry, Exchange, Json, Mode, Request

PATIENCE = 5
"""A server that is too busy is asked this many times as often as one that fails."""

OUTAGE = 2
"""So many times the requests in flight, all failed and none answered, are an outage: no more are sent."""

OPEN_AT_ONCE = 8
"""So many conversations are open for each request in flight: one that is long is always among them."""

CHARACTERS_PER_TOKEN = 4
"""To guess the tokens of a request before the server has counted them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which conditions a model is asked in one run."""

    run: str | None  # written into the journal, so that its costs are told apart
    trial: int = 1  # which repetition of the benchmark
    input_price: float | None = None  # US dollars for a million tokens sent
    output_price: float | None = None  # US dollars for a million tokens received
    budget: float | None = None  # US dollars that the run may cost; None: no limit

    def dollars(self, exchange: Exchange) -> float | None:
        """What an exchange costs; None if prices or tokens are not known."""
        if self.input_price is None or self.output_price is None:
            return None
        if exchange.input_tokens is None or exchange.output_tokens is None:
            return None
        cost = exchange.input_tokens * self.input_price + exchange.output_tokens * self.output_price
        return cost / 1e6


class Remote:
    """A model behind a wire, to be asked many requests at once."""

    def __init__(
        self,
        wire: Wire,
        journal: Journal,
        limits: Limits,
        terms: Terms,
        tally: Tally,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """To be made in the event loop that asks. `now` dates the journal."""
        self._wire = wire
        self._journal = journal
        self._limits = limits
        self._terms = terms
        self._tally = tally
        self._now = now
        self._pace = Pace(limits)
        self._computing = asyncio.Lock()  # one body at a time: between two, answers are taken and sent on
        self._spent = journal.spent(terms.run) if terms.budget is not None else 0.0
        self._priced = 0  # exchanges of this job that have a price, and
        self._prices = 0.0  # what they cost
        self._failures = 0  # requests given up in a row, without an answer between them
        self._last_failure = ""

    @property
    def mode(self) -> Mode:
        """How the model is given the functions."""
        return self._wire.mode

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""
        return self._wire.wire

    @property
    def open_at_once(self) -> int:
        """So many conversations that some are ready to send whenever a slot gets free."""
        return OPEN_AT_ONCE * self._limits.in_flight

    def opened(self, entry: Entry, chain: int) -> Ask:
        """Who answers for `entry`. chain: the requests expected from its start to the end of its chain."""
        steps_after_turns = chain - expected_requests(entry)
        turns = max(1, len(entry.turns))

        async def ask(request: Request) -> Exchange:
            left = expected_requests(entry) * (turns - request.turn) // turns
            return await self._exchange(entry, request, left + steps_after_turns)

        return ask

    async def _exchange(self, entry: Entry, request: Request, urgency: int) -> Exchange:
        async with self._computing:
            body = self._wire.body(request)
            key = exchange_key(self._wire.identity, entry.entry_id, self._terms.trial, body)
        kept = self._journal.find(key)
        if kept is None:
            kept, exchange = await self._asked(key, entry, request, body, urgency)
        else:
            exchange = self._wire.read(request, kept.raw)
            self._tally.replayed += 1
        return replace(exchange, latency_seconds=kept.latency_seconds)

    async def _asked(
        self, key: str, entry: Entry, request: Request, body: Json, urgency: int
    ) -> tuple[Kept, Exchange]:
        """Sends `body` until there is an answer that can be read, and keeps it."""
        failed = busy = 0
        wait = self._limits.retry_seconds
        while True:
            self._check_outage()
            try:
                raw, exchange, seconds = await self._attempt(request, body, urgency)
                break
            except RateLimited as error:
                busy += 1
                if busy >= PATIENCE * self._limits.attempts:
                    raise self._given_up(error) from error
            except Transient as error:
                failed += 1
                if failed >= self._limits.attempts:
                    raise self._given_up(error) from error
                await asyncio.sleep(_spread(key, failed) * wait)
                wait = min(2 * wait, LONGEST_PAUSE_SECONDS)
            self._tally.retries += 1
        self._failures = 0
        kept = Kept(
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
            received_at=self._now().isoformat(timespec="milliseconds"),
        )
        stands = await self._journal.append(kept)
        # What is used is what a replay will find: a key that a model repeated is blotted out in both.
        return stands, exchange if stands is kept else self._wire.read(request, stands.raw)

    async def _attempt(self, request: Request, body: Json, urgency: int) -> tuple[Json, Exchange, float]:
        """The raw answer to one request, the exchange it completes and the seconds it took."""
        tokens = len(json.dumps(body)) // CHARACTERS_PER_TOKEN if self._limits.tokens_per_minute else 0
        async with self._pace.slot(urgency, tokens) as permit:
            self._check_budget()
            self._tally.requests_in_flight += 1
            started = time.perf_counter()
            try:
                async with asyncio.timeout(self._limits.seconds):
                    raw = await self._wire.send(body)
            except RateLimited as error:
                self._pace.limited(permit, error.wait_seconds)
                self._tally.pause(time.monotonic() + self._pace.pause_seconds, "the server is too busy")
                raise
            except TimeoutError as error:
                raise Transient(f"no answer within {self._limits.seconds:g} s") from error
            finally:
                self._tally.requests_in_flight -= 1
            seconds = time.perf_counter() - started
            exchange = self._wire.read(request, raw)
            self._pace.succeeded(permit, exchange.input_tokens, exchange.output_tokens)
            self._pay(exchange)
            return raw, exchange, seconds

    def _given_up(self, error: ModelError) -> ModelError:
        self._failures += 1
        self._last_failure = str(error)
        return error

    def _check_outage(self) -> None:
        """Raises Transient if nothing was answered for so long that nothing will be."""
        if self._failures >= max(2, OUTAGE * self._limits.in_flight):
            raise Transient(
                f"not asked: the {self._failures} requests before it all failed, the last one because: "
                f"{self._last_failure}"
            )

    def _check_budget(self) -> None:
        """Raises BudgetSpent if the requests in flight, at their mean price, would use up the budget."""
        budget = self._terms.budget
        if budget is None:
            return
        each = self._prices / self._priced if self._priced else 0.0
        if self._spent + self._pace.in_flight * each >= budget:
            raise BudgetSpent(
                f"the budget of ${budget:,.2f} is spent (${self._spent:,.2f}, with what is in flight); "
                "raise it and run again to go on"
            )

    def _pay(self, exchange: Exchange) -> None:
        dollars = self._terms.dollars(exchange)
        self._tally.answered(exchange, dollars)
        if dollars is not None:
            self._spent += dollars
            self._prices += dollars
            self._priced += 1


def _spread(key: str, attempt: int) -> float:
    """A factor from 0.5 to 1, so that those who failed together do not come back together."""
    return random.Random(f"{key} {attempt}").uniform(0.5, 1.0)  # noqa: S311  # no secret
