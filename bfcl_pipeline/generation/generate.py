"""Holds the conversations of many entries with one model.

Covers the worlds that the entries start in, the sums over exchanges and the statuses. A failure of the
machinery becomes a status of that entry and never an answer; any other exception stops the job. In which
order conversations are held is `engine`, who answers is the asker.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config.web import NETWORK_MODES
from bfcl_pipeline.errors import (
    AccessDenied,
    BudgetSpent,
    ContextOverflow,
    ModelError,
    NotJournaled,
    NotRecorded,
    PipelineError,
    WebError,
)
from bfcl_pipeline.generation.asker import Asker, Embedded
from bfcl_pipeline.generation.chains import chain_lengths
from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.engine import hold_all
from bfcl_pipeline.generation.memory import Memories
from bfcl_pipeline.generation.model import Model
from bfcl_pipeline.generation.tally import Tally
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import Entry, Exchange, Json, Request, Response, Status, Step, total
from bfcl_pipeline.tools import Setting, World

SESSION_ATTEMPTS = 3
"""How often a session before the questions is tried: all questions after it depend on it."""

STATUSES: tuple[tuple[type[PipelineError], Status], ...] = (
    (ContextOverflow, Status.CONTEXT_OVERFLOW),
    (BudgetSpent, Status.SKIPPED),
    (NotRecorded, Status.NOT_RECORDED),
    (NotJournaled, Status.NOT_RECORDED),
    (ModelError, Status.INFRASTRUCTURE_ERROR),
    (WebError, Status.INFRASTRUCTURE_ERROR),
)
"""What an error makes of the entry; the first that fits. AccessDenied is about all entries and stops."""

SettingOf = Callable[[Entry], Setting]
"""What the world of an entry is made from: the same for all, but for what is drawn by entry."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an entry has no answer."""

    status: Status
    detail: str | None  # for a person


FailureOf = Callable[[Entry, PipelineError], Failure]
"""What an error makes of an entry."""


def failure_of(entry: Entry, error: PipelineError) -> Failure:  # noqa: ARG001  # a FailureOf
    """What `error`, a ModelError or WebError, makes of any entry: the first of STATUSES that fits."""
    return Failure(next(status for kind, status in STATUSES if isinstance(error, kind)), str(error))


@dataclass(frozen=True, slots=True)
class Conversed:
    """One entry, asked."""

    entry: Entry
    response: Response
    snapshot: Json = None  # a session before memory questions: the memory after it; else None


@dataclass(frozen=True, slots=True)
class Origin:
    """What is written into every response."""

    model: str  # whose it is, as tables and reports call it
    run: str | None = None  # of which run
    web: str | None = None  # which web was searched, where one was
    owner: str = "model"  # whose worlds they are: some error texts that a model sees name it


def generate(
    entries: Sequence[Entry],
    model: Model,
    texts: Texts,
    setting_of: SettingOf,
    run: str | None = None,
    web: str | None = None,
    failed: FailureOf = failure_of,
) -> Iterator[Conversed]:
    """One response of an embedded model for each entry, in order.

    Sessions stand before what depends on them. `run`, and which `web` was searched, are written into
    the responses; `failed` says what an error makes of an entry.
    """
    asker = Embedded(model, entries)
    origin = Origin(model.name, run, web)
    return iter(asyncio.run(converse_all(entries, asker, texts, setting_of, origin, failed=failed)))


async def converse_all(
    entries: Sequence[Entry],
    asker: Asker,
    texts: Texts,
    setting_of: SettingOf,
    origin: Origin,
    tally: Tally | None = None,
    failed: FailureOf = failure_of,
) -> list[Conversed]:
    """One response for each entry, in order, whatever the order in which they were held.

    Raises AccessDenied if the model cannot be asked at all. `tally` counts what is done, `failed` says what
    an error makes of an entry.
    """
    with ThreadPoolExecutor(asker.open_at_once, "web") as threads:
        holder = _Holder(asker, texts, setting_of, origin, threads, failed, tally or Tally())
        holder.tally.entries_total += len(entries)
        chains = chain_lengths(entries)

        async def hold(entry: Entry) -> None:
            await holder.hold(entry, chains[entry.entry_id])

        try:
            await hold_all(entries, chains, asker.open_at_once, hold)
        except ExceptionGroup as errors:  # of those that failed together, the first tells enough
            raise errors.exceptions[0] from errors.exceptions[0].__cause__
    return [holder.held[entry.entry_id] for entry in entries]


@dataclass(slots=True)
class _Holder:
    """Holds one conversation at a time for each task, and keeps what came of all."""

    asker: Asker
    texts: Texts
    setting_of: SettingOf
    origin: Origin
    threads: Executor
    failed: FailureOf
    tally: Tally
    memories: Memories = field(default_factory=Memories)
    held: dict[str, Conversed] = field(default_factory=dict)
    computing: asyncio.Lock = field(default_factory=asyncio.Lock)  # one at a time, as in `remote`

    async def hold(self, entry: Entry, chain: int) -> None:
        """Asks `entry`, whose sessions were held before."""
        obstacle = self.memories.obstacle(entry)
        if obstacle is not None:
            conversed = Conversed(entry, self._response(entry, [], None, *obstacle))
        else:
            for _ in range(SESSION_ATTEMPTS if entry.prerequisite else 1):
                conversed = await self._converse(entry, chain)
                if conversed.response.status is not Status.INFRASTRUCTURE_ERROR:
                    break
        response = conversed.response
        self.memories.keep(entry, response.status, response.status_detail, conversed.snapshot)
        self.held[entry.entry_id] = conversed
        self.tally.ended(answered=response.status is Status.ANSWERED)

    async def _converse(self, entry: Entry, chain: int) -> Conversed:
        exchanges: list[Exchange] = []
        world = World.for_entry(
            entry, self.setting_of(entry), self.origin.owner, self.memories.before(entry)
        )
        try:
            talk = conversation(entry, self.asker.mode, self.texts, world, self.asker.wire)
            result = await self._hold(entry, talk, chain, exchanges)
        except AccessDenied:
            raise
        except (ModelError, WebError) as error:
            failure = self.failed(entry, error)
            response = self._response(entry, exchanges, None, failure.status, failure.detail)
            return Conversed(entry, response)
        snapshot = world.memory.snapshot() if entry.prerequisite and world.memory is not None else None
        response = self._response(entry, exchanges, _json_text(result), Status.ANSWERED, None)
        return Conversed(entry, response, snapshot)

    async def _hold(self, entry: Entry, talk: Conversation, chain: int, exchanges: list[Exchange]) -> Json:
        """Drives `talk` to its end; every exchange is kept in `exchanges` before it is used."""
        ask = self.asker.opened(entry, chain)
        # Searches and pages of the web take seconds: others go on meanwhile.
        elsewhere = self._web(entry) in NETWORK_MODES
        request = next(talk)
        while True:
            exchange = await ask(request)
            exchanges.append(exchange)
            if elsewhere:
                loop = asyncio.get_running_loop()
                step = await loop.run_in_executor(self.threads, _advance, talk, exchange)
            else:
                async with self.computing:
                    step = _advance(talk, exchange)
            if step.request is None:
                return step.result
            request = step.request

    def _response(
        self,
        entry: Entry,
        exchanges: list[Exchange],
        result_json: str | None,
        status: Status,
        detail: str | None,
    ) -> Response:
        return Response(
            entry_id=entry.entry_id,
            category=entry.category,
            mode=self.asker.mode,
            result_json=result_json,
            status=status,
            status_detail=detail,
            model=self.origin.model,
            run=self.origin.run,
            input_tokens=total(exchange.input_tokens for exchange in exchanges),
            output_tokens=total(exchange.output_tokens for exchange in exchanges),
            latency_seconds=total(exchange.latency_seconds for exchange in exchanges),
            steps=tuple(
                Step(
                    one.request.turn,
                    one.input_tokens,
                    one.output_tokens,
                    one.latency_seconds,
                    one.finish_reason,
                )
                for one in exchanges
            ),
            web=self._web(entry),
        )

    def _web(self, entry: Entry) -> str | None:
        return self.origin.web if CATEGORIES[entry.category].check is Check.WEB_SEARCH else None


@dataclass(frozen=True, slots=True)
class _Advance:
    """Where a conversation is after an exchange."""

    request: Request | None  # what the model is to be sent next; None at the end
    result: Json = None  # what it ended in


def _advance(talk: Conversation, exchange: Exchange) -> _Advance:
    try:
        return _Advance(talk.send(exchange))
    except StopIteration as end:
        return _Advance(None, end.value)


def _json_text(result: Json) -> str:
    """`result` as JSON; half characters, which no table can hold, stay escaped."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(result)
    return text


def responses(conversed: Iterable[Conversed]) -> list[Response]:
    """The responses to the entries that are scored."""
    return [one.response for one in conversed if not one.entry.prerequisite]
