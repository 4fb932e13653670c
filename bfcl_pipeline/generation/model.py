"""What the generation layer asks of a model, and nothing of how a model answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from bfcl_pipeline.records import Entry, Exchange, Mode, Request

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
