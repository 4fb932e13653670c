"""Runs the conversations of many entries with one model.

Covers the worlds that the entries start in, the sums over exchanges and the statuses. A failure of the
machinery becomes a status of that entry and never an answer; any other exception stops the job. `engine`
decides the order of conversations, a backend answers their requests.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

from bfcl_pipeline.ask.generation.backends import Backend
from bfcl_pipeline.ask.generation.chains import chain_lengths
from bfcl_pipeline.ask.generation.conversation import Conversation, conversation
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.engine import run_all
from bfcl_pipeline.ask.generation.memory import Completed, EntryFailure, memory_before, obstacle
from bfcl_pipeline.base.errors import (
    BudgetSpent,
    ContextOverflow,
    ModelError,
    NotJournaled,
    NotRecorded,
    PipelineError,
    WebError,
    WebStopped,
)
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import (
    Entry,
    Exchange,
    Json,
    Mode,
    NameStyle,
    Request,
    Response,
    Status,
    Step,
    total,
)
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.world.tools import World, WorldConfig

SESSION_ATTEMPTS = 3
"""Attempts at a memory session: all questions after it depend on it."""

STATUSES: tuple[tuple[type[PipelineError], Status], ...] = (
    (ContextOverflow, Status.CONTEXT_OVERFLOW),
    (BudgetSpent, Status.SKIPPED),
    (NotRecorded, Status.NOT_RECORDED),
    (NotJournaled, Status.NOT_RECORDED),
    (ModelError, Status.INFRASTRUCTURE_ERROR),
    (WebError, Status.INFRASTRUCTURE_ERROR),
)
"""The status that an error gives an entry: that of the first type it is an instance of."""

WorldConfigOf = Callable[[Entry], WorldConfig]
"""What the world of an entry is made from: the same for all entries, except for what is drawn by entry."""


FailureOf = Callable[[Entry, PipelineError], EntryFailure]
"""The failure of an entry that an error causes."""

Executing = Callable[[Entry, Response], None]
"""Called with each answer to an entry whose calls are executed; may wait for the network. Raises WebError
if a web API has no answer now."""


def failure_of(entry: Entry, error: PipelineError) -> EntryFailure:  # noqa: ARG001  # a FailureOf
    """The failure of any entry that `error`, a ModelError or WebError, causes, by STATUSES."""
    return EntryFailure(next(status for kind, status in STATUSES if isinstance(error, kind)), str(error))


@dataclass(frozen=True, slots=True)
class Origin:
    """What is written into every response."""

    model: str  # the model's name in tables and reports
    run: str | None = None  # name of the run
    web: str | None = None  # mode of the web, for categories that search it
    owner: str = "model"  # name of the model in error texts of simulated APIs


async def run_entries(
    entries: Sequence[Entry],
    backend: Backend,
    texts: Texts,
    world_config_of: WorldConfigOf,
    origin: Origin,
    counts: ProgressCounts | None = None,
    failure_of: FailureOf = failure_of,
    executing: Executing | None = None,
) -> list[Completed]:
    """One response for each entry, in order, whatever the order in which they ran.

    entries: without duplicates; sessions stand before what depends on them. counts: updated on the way.
    failure_of: the failure of an entry that an error causes. A model that refuses all requests gives each
    entry the same failure. executing: receives answers whose calls are executed, in other threads.
    """
    counts = counts or ProgressCounts()
    chains = chain_lengths(entries)
    counts.start(entries, chains)
    with ThreadPoolExecutor(backend.open_at_once, "web") as threads:
        runner = _Runner(
            backend, texts, world_config_of, origin, threads, failure_of, executing, counts, chains
        )
        try:
            await run_all(entries, chains, backend.open_at_once, runner.run_entry)
        except ExceptionGroup as errors:  # of several that failed together, the first is reported
            raise errors.exceptions[0] from errors.exceptions[0].__cause__
    return [runner.completed[entry.entry_id] for entry in entries]


@dataclass(slots=True)
class _Runner:
    """Runs one conversation at a time for each task, and collects the results of all."""

    backend: Backend
    texts: Texts
    world_config_of: WorldConfigOf
    origin: Origin
    threads: Executor
    failure_of: FailureOf
    executing: Executing | None
    counts: ProgressCounts
    chains: Mapping[str, int]  # by entry id: requests expected to the end of its chain
    completed: dict[str, Completed] = field(default_factory=dict)
    computing: asyncio.Lock = field(default_factory=asyncio.Lock)  # one at a time, as in `remote`

    async def run_entry(self, entry: Entry) -> None:
        """Runs `entry`; the sessions that it depends on have run before."""
        failure = obstacle(entry, self.completed)
        if failure is not None:
            completed = Completed(entry, self._response(entry, (), failure))
        else:
            for _ in range(SESSION_ATTEMPTS if entry.prerequisite else 1):
                completed = await self._attempt(entry)
                if completed.response.status is not Status.INFRASTRUCTURE_ERROR:
                    break
        response = completed.response
        self.completed[entry.entry_id] = completed
        self.counts.ended(entry, response.status, response.status_detail)

    async def _attempt(self, entry: Entry) -> Completed:
        exchanges: list[Exchange] = []
        world = World.for_entry(
            entry, self.world_config_of(entry), self.origin.owner, memory_before(entry, self.completed)
        )
        try:
            steps = conversation(entry, self.backend.asking, self.texts, world)
            result = await self._converse(entry, steps, exchanges)
            response = self._response(entry, exchanges, _json_text(result))
            if self.executing is not None and CATEGORIES[entry.category].executes:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self.threads, self.executing, entry, response)
        except (ModelError, WebError) as error:
            if isinstance(error, WebStopped):
                self.backend.web_stopped(str(error))
            return Completed(entry, self._response(entry, exchanges, self.failure_of(entry, error)))
        snapshot = world.memory.snapshot() if entry.prerequisite and world.memory is not None else None
        return Completed(entry, response, snapshot)

    async def _converse(self, entry: Entry, steps: Conversation, exchanges: list[Exchange]) -> Json:
        """Drives a conversation to its end; every exchange is in `exchanges` before it is used."""
        answer = self.backend.session(entry, self.chains[entry.entry_id])
        # Searches and fetches take seconds: other conversations go on meanwhile.
        in_thread = searched_web(entry, self.origin) in NETWORK_MODES
        request = next(steps)
        while True:
            exchange = await answer(request)
            exchanges.append(exchange)
            self.counts.left.did(entry.entry_id)
            if in_thread:
                loop = asyncio.get_running_loop()
                step = await loop.run_in_executor(self.threads, _advance, steps, exchange)
            else:
                async with self.computing:
                    step = _advance(steps, exchange)
            if step.request is None:
                return step.result
            request = step.request

    def _response(
        self, entry: Entry, exchanges: Sequence[Exchange], answer: str | EntryFailure
    ) -> Response:
        asking = self.backend.asking
        return _response(entry, self.origin, asking.mode, answer, exchanges, asking.name_style)


def _response(
    entry: Entry,
    origin: Origin,
    mode: Mode,
    answer: str | EntryFailure,
    exchanges: Sequence[Exchange] = (),
    name_style: NameStyle | None = None,
) -> Response:
    """The response to an entry. answer: the result as JSON, or why there is none."""
    failure = answer if isinstance(answer, EntryFailure) else None
    return Response(
        entry_id=entry.entry_id,
        category=entry.category,
        mode=mode,
        name_style=name_style,
        result_json=answer if isinstance(answer, str) else None,
        status=Status.ANSWERED if failure is None else failure.status,
        status_detail=None if failure is None else failure.detail,
        model=origin.model,
        run=origin.run,
        input_tokens=total(exchange.input_tokens for exchange in exchanges),
        output_tokens=total(exchange.output_tokens for exchange in exchanges),
        latency_seconds=total(exchange.latency_seconds for exchange in exchanges),
        steps=tuple(
            Step(
                exchange.request.turn,
                exchange.input_tokens,
                exchange.output_tokens,
                exchange.latency_seconds,
                exchange.finish_reason,
            )
            for exchange in exchanges
        ),
        web=searched_web(entry, origin),
    )


@dataclass(frozen=True, slots=True)
class _Advance:
    """The state of a conversation after an exchange."""

    request: Request | None  # the next one; None at the end
    result: Json = None  # at the end


def _advance(steps: Conversation, exchange: Exchange) -> _Advance:
    try:
        return _Advance(steps.send(exchange))
    except StopIteration as end:
        return _Advance(None, end.value)


def _json_text(result: Json) -> str:
    """`result` as JSON; unpaired surrogates, which no table can hold, stay escaped."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(result)
    return text


def unanswered_entries(
    entries: Iterable[Entry], mode: Mode, origin: Origin, failure: EntryFailure
) -> list[Completed]:
    """Every entry with the same failure, of a model of `mode` that cannot run at all."""
    return [Completed(entry, _response(entry, origin, mode, failure)) for entry in entries]


def searched_web(entry: Entry, origin: Origin) -> str | None:
    """The mode of the web that `entry` searches or whose calls use it; None if it uses none."""
    category = CATEGORIES[entry.category]
    return origin.web if category.check is Check.WEB_SEARCH or category.executes else None


def responses(completed: Iterable[Completed]) -> list[Response]:
    """The responses to the entries that are scored."""
    return [one.response for one in completed if not one.entry.prerequisite]
