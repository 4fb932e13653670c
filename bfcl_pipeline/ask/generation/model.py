"""The interfaces of models: one that answers in this process, and one behind an API.

The exchanges of a model behind an API (`Adapter`) take time, may fail and are written to a journal; those
of an embedded model (`Model`) are computed.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from bfcl_pipeline.ask.generation.asking import Asking
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request

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
