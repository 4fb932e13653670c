"""Who is asked by the engine: a model in this process, or one behind a wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from bfcl_pipeline.generation.model import Model
from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Entry, Exchange, Mode, Request

Ask: TypeAlias = Callable[[Request], Awaitable[Exchange]]
"""Answers the requests of one conversation, in order. Raises ModelError if it cannot be asked."""


class Asker(Protocol):
    """Answers the requests of many conversations."""

    @property
    def mode(self) -> Mode:
        """How the model is given the functions."""

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""

    @property
    def open_at_once(self) -> int:
        """How many conversations may be held at once."""

    def opened(self, entry: Entry, chain: int) -> Ask:
        """Who answers for `entry`. chain: the requests expected from its start to the end of its chain."""


class Embedded:
    """A model in this process: one conversation after the other, each answer at once."""

    def __init__(self, model: Model, entries: Sequence[Entry]) -> None:
        """`model` is told that it will be asked `entries`."""
        self._model = model
        model.meet(entries)

    @property
    def mode(self) -> Mode:
        """How the model is given the functions."""
        return self._model.mode

    @property
    def wire(self) -> WireFormat:
        """Embedded models read the functions in OpenAI's form."""
        return WireFormat.OPENAI_CHAT

    @property
    def open_at_once(self) -> int:
        """There is nothing to wait for."""
        return 1

    def opened(self, entry: Entry, chain: int) -> Ask:  # noqa: ARG002  # nothing is urgent
        """Who answers for `entry`."""
        respond = self._model.responder(entry)

        async def ask(request: Request) -> Exchange:
            return respond(request)

        return ask
