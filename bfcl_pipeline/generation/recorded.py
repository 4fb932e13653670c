"""Asking nobody: the journals of a model behind a wire answer in its place.

Covers one request from its body to the exchange that was kept. What no journal holds is an error, which is
a status of the entry; nothing is sent, so that neither key nor network is needed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from bfcl_pipeline.errors import NotJournaled
from bfcl_pipeline.generation.asker import Ask
from bfcl_pipeline.generation.journal import Kept, exchange_key
from bfcl_pipeline.generation.model import Wire
from bfcl_pipeline.generation.tally import Tally
from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Entry, Exchange, Mode, Request


class Journals(Protocol):
    """What was kept of a model."""

    def find(self, key: str) -> Kept | None:
        """The exchange of that key; None if there is none."""


class Recorded:
    """A model as its journals have it. An asker; each answer is there at once."""

    open_at_once = 1

    def __init__(self, wire: Wire, journals: Journals, trial: int, tally: Tally) -> None:
        """trial: of which repetition of the benchmark the answers are."""
        self._wire = wire
        self._journals = journals
        self._trial = trial
        self._tally = tally

    @property
    def mode(self) -> Mode:
        """How the model is given the functions."""
        return self._wire.mode

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""
        return self._wire.wire

    def opened(self, entry: Entry, chain: int) -> Ask:  # noqa: ARG002  # nothing is urgent
        """Who answers for `entry`. Raises NotJournaled for what was not kept."""

        async def ask(request: Request) -> Exchange:
            body = self._wire.body(request)
            key = exchange_key(self._wire.identity, entry.entry_id, self._trial, body)
            kept = self._journals.find(key)
            if kept is None:
                raise NotJournaled(
                    f"no journal has an answer to a request of turn {request.turn + 1} (key {key}). Bring "
                    "the journal that has it, or ask the model."
                )
            self._tally.replayed += 1
            return replace(self._wire.read(request, kept.raw), latency_seconds=kept.latency_seconds)

        return ask
