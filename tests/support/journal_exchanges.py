"""Exchanges for tests of the journal, and journals that hold them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
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


def written(
    path: Path, *exchanges: JournaledExchange, secrets: Sequence[str] = ()
) -> list[JournaledExchange]:
    """The return values of the appends to the journal at `path`, in order."""

    async def all_of_them() -> list[JournaledExchange]:
        journal = Journal.open(path, secrets)
        kept = [await journal.append(one) for one in exchanges]
        await journal.close()
        return kept

    return asyncio.run(all_of_them())


def all_of(path: Path) -> list[JournaledExchange]:
    """All exchanges in the journal at `path`."""
    with JournalReader(path) as journal:
        return list(journal)
