"""What the generation layer asks of a model, and nothing of how a model answers.

Two kinds of model are asked: one that answers in this process (`Model`), and one behind a wire
(`Wire`), whose exchanges take time, may fail and are kept in a journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Entry, Exchange, Json, Mode, Request

Responder: TypeAlias = Callable[[Request], Exchange]
"""Answers the requests of one conversation, in order. Raises ModelError if it cannot be asked."""


class Model(Protocol):
    """Something that answers requests."""

    @property
    def name(self) -> str:
        """As in config/models.yaml."""

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""

    def meet(self, entries: Sequence[Entry]) -> None:
        """Is told, once, what it will be asked. Only the oracle listens: it is what it knows."""

    def responder(self, entry: Entry) -> Responder:
        """Who answers for this entry. Only the oracle may look at the entry; it is what it knows."""


class Wire(Protocol):
    """A model behind an API: requests to bodies, bodies to raw answers, raw answers to exchanges."""

    @property
    def name(self) -> str:
        """As in config/models.yaml."""

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""

    @property
    def identity(self) -> Json:
        """All that decides an answer besides the body: who is asked where. JSON, without secrets."""

    def open(self) -> None:
        """Makes ready to send; `send` does it if nobody did."""

    def body(self, request: Request) -> Json:
        """The whole body of the request in the terms of the API, as JSON values. Pure."""

    async def send(self, body: Json) -> Json:
        """One attempt: the raw answer as JSON values. Raises ModelError of the type that fits."""

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes, without its latency. Pure; raises Malformed."""

    async def close(self) -> None:
        """Lets go of connections."""
