"""Request backends: what answers the requests of conversations.

Covers models in this process, and replays, in which the journals of a model behind an API answer: a request
without a journaled answer is an error, which becomes the entry's status, and nothing is sent. The backend
that sends requests is `remote.ApiBackend`.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol, TypeAlias

from bfcl_pipeline.ask.generation.conversation import Asking, ChatAsking
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.base.errors import NotJournaled
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, exchange_key

Responder: TypeAlias = Callable[[Request], Exchange]
"""Answers the requests of one conversation, in order. Raises ModelError if there is no answer."""


class Model:
    """A model that answers in this process."""

    def __init__(self, row: ModelRow) -> None:
        self.row = row  # how config/models.yaml describes it
        self.name = row.name
        self.mode = row.mode  # how functions are presented to it

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Called once with all entries before the first request; only the oracle uses it."""

    def responder(self, entry: Entry) -> Responder:
        """What answers the requests of `entry`. Only the oracle may read the entry itself."""
        raise NotImplementedError


class Adapter(Protocol):
    """A model behind an API: requests to bodies, bodies to raw answers, raw answers to exchanges."""

    @property
    def name(self) -> str:
        """The name in config/models.yaml."""

    @property
    def asking(self) -> Asking:
        """What its requests have."""

    @property
    def identity(self) -> Json:
        """What decides an answer besides the body: model and endpoint. JSON, without secrets."""

    def open(self, log: Log | None = None) -> None:
        """Prepares sending; `send` does it if nothing else did. log: receives what a user should know."""

    def body(self, request: Request) -> Json:
        """The whole body of the request in the form of the API, as JSON values. Pure."""

    async def send(self, body: Json) -> Json:
        """One attempt: the raw answer as JSON values. Raises the subclass of ModelError that fits."""

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes, without its latency. Pure. Raises Malformed."""

    async def close(self) -> None:
        """Closes connections."""


Session: TypeAlias = Callable[[Request], Awaitable[Exchange]]
"""Answers the requests of one conversation, in order. Raises ModelError if there is no answer."""


@dataclass(frozen=True, slots=True)
class ReplayedRequest:
    """A request of a conversation that is replayed, and its answer in the journal."""

    entry: Entry
    number: int  # of the request in the conversation, from 1
    request: Request
    body: Json  # as it was sent
    key: str  # of the exchange
    journaled: JournaledExchange | None  # None: no journal has an answer
    exchange: Exchange | None  # what the answer says; None: no journal has an answer


class Backend(ABC):
    """Answers the requests of many conversations."""

    asking: Asking
    """What requests to the model have."""

    open_at_once = 1
    """How many conversations may be open at once."""

    @abstractmethod
    def session(self, entry: Entry, chain: int) -> Session:
        """What answers the requests of `entry`.

        chain: the requests expected from its start to the end of its chain of dependent entries.
        """

    def web_stopped(self, reason: str) -> None:  # noqa: B027  # where nothing is sent, nothing is to be done
        """Notes that nothing can be searched any more: no further requests of web questions are sent."""


class LocalBackend(Backend):
    """A model in this process: one conversation after the other, each answer immediate."""

    def __init__(self, model: Model, entries: Sequence[Entry]) -> None:
        """Prepares `model` for `entries`."""
        self.asking = ChatAsking(model.mode)
        self._model = model
        model.prepare(entries)

    def session(self, entry: Entry, chain: int) -> Session:  # noqa: ARG002  # there is no queue
        """What answers the requests of `entry`."""
        respond = self._model.responder(entry)

        async def answer(request: Request) -> Exchange:
            return respond(request)

        return answer


@dataclass
class ReplayBackend(Backend):
    """A model as its journals have it; each answer is immediate."""

    adapter: Adapter
    journals: JournalsReader
    trial: int  # the repetition of the benchmark whose answers are used
    counts: ProgressCounts  # updated on the way
    replayed: Callable[[ReplayedRequest], None] | None = None
    """Receives each request; a session that is tried again begins again at number 1."""

    def __post_init__(self) -> None:
        self.asking = self.adapter.asking

    def session(self, entry: Entry, chain: int) -> Session:  # noqa: ARG002  # there is no queue
        """What answers the requests of `entry`. It raises NotJournaled if no journal has the answer."""
        numbers = count(1)

        async def answer(request: Request) -> Exchange:
            body = self.adapter.body(request)
            key = exchange_key(self.adapter.identity, entry.entry_id, self.trial, body)
            journaled = self.journals.find(key)
            exchange = None if journaled is None else self._exchange(request, journaled)
            if self.replayed is not None:
                self.replayed(
                    ReplayedRequest(entry, next(numbers), request, body, key, journaled, exchange)
                )
            if journaled is None or exchange is None:
                raise NotJournaled(
                    f"no journal has an answer to a request of turn {request.turn + 1} (key {key}). Bring "
                    "the journal that has it, or ask the model."
                )
            self.counts.found(journaled.received_at)
            return exchange

        return answer

    def _exchange(self, request: Request, journaled: JournaledExchange) -> Exchange:
        exchange = self.adapter.read(request, journaled.raw)
        return replace(exchange, latency_seconds=journaled.latency_seconds)
