"""Exchanges for tests of the journal, and journals that hold them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bfcl_pipeline.runs.journal import Journal, JournaledExchange, JournalReader, exchange_key

PROVENANCE = "5eed" * 16
"""The SHA-256 of a record of what made an answer; there is no such record."""


def key_of(number: int) -> str:
    """The key of the exchange of that number."""
    return exchange_key({"model": "m"}, f"simple_python_{number}", 1, {"n": number})


def exchange(number: int, **more: Any) -> JournaledExchange:
    """An exchange of up to some KB; equal numbers give equal ones."""
    about: dict[str, Any] = {
        "key": key_of(number),
        "entry_id": f"simple_python_{number}",
        "trial": 1,
        "turn": 0,
        "run": "r",
        "received_at": "2026-10-01T12:00:00.000+00:00",
        "latency_seconds": 0.25,
        "input_tokens": 100,
        "output_tokens": 10,
        "dollars": 0.5,
        "provenance": PROVENANCE,
        "raw": {"text": f"{number} " * (number % 600)},
    }
    return JournaledExchange(**{**about, **more})


class Opened:
    """A journal that is open for writing, without its event loop."""

    def __init__(self, journal: Journal, runner: asyncio.Runner) -> None:
        self.find, self.spent, self.spent_by_siblings = (
            journal.find,
            journal.spent,
            journal.spent_by_siblings,
        )
        self._journal, self._run = journal, runner.run

    def append(self, *exchanges: JournaledExchange) -> list[JournaledExchange]:
        """Appends exchanges at the same moment; returns what each append returns, or raises its error."""
        return self.tried(*exchanges)

    def tried(self, *exchanges: JournaledExchange, errors: bool = False) -> list[Any]:
        """What the appends of exchanges at the same moment return, or their errors."""

        async def together() -> list[Any]:
            appends = (self._journal.append(one) for one in exchanges)
            return list(await asyncio.gather(*appends, return_exceptions=errors))

        return self._run(together())

    def close(self) -> None:
        """Closes it; a second time nothing happens."""
        self._run(self._journal.close())


@contextmanager
def opened(path: Path, secrets: Sequence[str] = (), **options: Any) -> Iterator[Opened]:
    """The journal at `path`, open for writing until the block is left. options: of `Journal.open`."""
    with asyncio.Runner() as runner:
        journal = Opened(Journal.open(path, secrets, **options), runner)
        try:
            yield journal
        finally:
            journal.close()


def written(path: Path, *exchanges: JournaledExchange) -> list[JournaledExchange]:
    """The return values of the appends to the journal at `path`, one after another."""
    with opened(path) as journal:
        return [kept for one in exchanges for kept in journal.append(one)]


def all_of(path: Path) -> list[JournaledExchange]:
    """All exchanges in the journal at `path`."""
    with JournalReader(path) as journal:
        return list(journal)
