"""Lexical: a small deterministic function caller without any learned weights.

It matches the words of a request with those of the offered functions and their parameters; the floor
that a model must beat to have understood anything. It sees the request alone: no ids, no truth.
"""

from __future__ import annotations

from bfcl_pipeline.generation import Responder
from bfcl_pipeline.models.embedded import EmbeddedModel
from bfcl_pipeline.models.lexical.answer import answer
from bfcl_pipeline.records import Entry, Exchange, Request

__all__ = ["Lexical", "answer"]


class Lexical(EmbeddedModel):
    """A model that matches words."""

    __slots__ = ()

    def responder(self, entry: Entry) -> Responder:  # noqa: ARG002  # it may not see the entry
        """The same for every entry."""
        return _respond


def _respond(request: Request) -> Exchange:
    return Exchange(request, answer(request))
