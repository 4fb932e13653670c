"""Sends drawn requests to the verifier's model: journaled, paced, retried and paid as those of a run.

The journal is the verifier's own, so that an asking that was interrupted goes on without paying twice. The
trial in its keys is the number of the asking.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.asked_again.drawing import DrawnRequest
from bfcl_pipeline.asked_again.own_model import own_request
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.generation import Adapter
from bfcl_pipeline.generation.chains import expected_requests
from bfcl_pipeline.generation.counts import ProgressCounts
from bfcl_pipeline.generation.journal import (
    Journal,
    JournalsReader,
    exchange_key,
    journal_path,
    journals_in,
)
from bfcl_pipeline.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.jobs.run import finished
from bfcl_pipeline.models import build_adapter
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import Exchange
from bfcl_pipeline.text import Log, step_line

RUN = "asked again"
"""The run in the journal of an asking."""


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """What came of asking one request once."""

    exchange: Exchange | None  # None: no answer
    failure: str = ""  # why there is none


Askings = tuple[FreshAnswer, ...]
"""What came of asking one request several times, in order."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """What came of asking again, for each request in the order of the draw."""

    answers: tuple[Askings, ...]
    sent: int  # answered now
    earlier: int  # answered by the journal: an earlier asking was interrupted, or is repeated
    dollars: float | None  # what was sent cost; None: no prices


def ask(
    row: ModelRow,
    endpoint: str | None,
    requests: Sequence[DrawnRequest],
    askings: int,
    budget: float | None,
    folder: Path,
    texts: Texts,
    log: Log,
) -> Fresh:
    """Asks every request, one asking after the other. A request that fails has its reason instead.

    Args:
        row: the verifier's.
        endpoint: URL of the API if it is not that of the row.
        requests: what to ask.
        askings: how often to ask each.
        budget: US dollars that all askings with this journal may cost; None: no limit.
        folder: directory of the journal.
        texts: of the staged release.
        log: receives a line for each answer, and what the adapter says.

    Raises:
        ConfigError: a key or a package is missing.
        ModelError: the model cannot be used.
        JournalError: the journal cannot be written.
    """
    adapter = build_adapter(row, endpoint)
    return finished(lambda: _ask(adapter, row, requests, askings, budget, folder, texts, log))


def unanswered(
    row: ModelRow, requests: Sequence[DrawnRequest], askings: int, folder: Path, texts: Texts
) -> int:
    """How many of the requests the journal in `folder` has no answer to yet, over all askings."""
    adapter = build_adapter(row, offline=True)
    with JournalsReader(journals_in(folder)) as journals:
        return sum(
            exchange_key(
                adapter.identity,
                one.entry.entry_id,
                number,
                adapter.body(own_request(adapter, one.request, texts)),
            )
            not in journals
            for one in requests
            for number in range(1, askings + 1)
        )


async def _ask(
    adapter: Adapter,
    row: ModelRow,
    requests: Sequence[DrawnRequest],
    askings: int,
    budget: float | None,
    folder: Path,
    texts: Texts,
    log: Log,
) -> Fresh:
    secrets = [os.environ[row.key]] if row.key and os.environ.get(row.key) else []
    journal = Journal.open(journal_path(folder), secrets)
    counts, done = ProgressCounts(), 0
    total = askings * len(requests)

    async def answer(backend: ApiBackend, one: DrawnRequest) -> FreshAnswer:
        nonlocal done
        session = backend.session(one.entry, expected_requests(one.entry))
        try:
            fresh = FreshAnswer(await session(own_request(adapter, one.request, texts)))
        except ModelError as error:
            fresh = FreshAnswer(None, str(error))
        done += 1
        log(step_line(done, total, f"Ask {row.name} again"))
        return fresh

    rounds: list[list[FreshAnswer]] = []
    try:
        adapter.open(log)
        for number in range(1, askings + 1):
            terms = RunTerms(RUN, number, row.input_price, row.output_price, budget)
            backend = ApiBackend(adapter, journal, row.limits, terms, counts)
            rounds.append(await asyncio.gather(*(answer(backend, one) for one in requests)))
    finally:
        await adapter.close()
        await journal.close()
    answers = tuple(zip(*rounds, strict=True))
    return Fresh(answers, counts.requests_done, counts.replayed, counts.dollars)
