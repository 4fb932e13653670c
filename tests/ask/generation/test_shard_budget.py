"""The budget of a model whose shards run side by side, are restarted and change in number."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import Origin, run_entries
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.benchmark.config import RequestLimits
from bfcl_pipeline.benchmark.records import Entry, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.journal import Journal, JournalsReader, journal_path, journals_in
from tests.ask.generation.test_remote import Scripted
from tests.support.journal_exchanges import PROVENANCE, exchange, opened, written

EACH = 0.002  # dollars of a scripted exchange
IN_FLIGHT = 2
LIMITS = RequestLimits(in_flight=IN_FLIGHT, attempts=1)


@pytest.fixture
def run_shards(
    tmp_path: Path, staged: Path, entries: Callable[[str], list[Entry]], setting_of: Callable[..., object]
) -> Callable[[Sequence[int], int, float], list[Status]]:
    """Runs some shards of so many side by side, with a budget; the statuses of their entries."""
    chosen, texts = entries("simple_python")[:100], read_texts(staged)

    async def run_shard(number: int, of: int, budget: float) -> list[Status]:
        terms = RunTerms("r", PROVENANCE, input_price=1.0, output_price=10.0, budget=budget)
        journal = Journal.open(journal_path(tmp_path, number))
        try:
            backend = ApiBackend(Scripted(), journal, LIMITS, terms, ProgressCounts())
            mine = chosen[number - 1 :: of]
            done = await run_entries(mine, backend, texts, setting_of, Origin("m", "r"))
            return [one.response.status for one in done]
        finally:
            await journal.close()

    def run(numbers: Sequence[int], of: int, budget: float) -> list[Status]:
        async def together() -> list[list[Status]]:
            return await asyncio.gather(*(run_shard(number, of, budget) for number in numbers))

        return [status for statuses in asyncio.run(together()) for status in statuses]

    return run


def _spent(folder: Path) -> float:
    with JournalsReader(journals_in(folder)) as journals:
        return journals.spent("r")


def test_shards_spend_one_budget(run_shards: Callable[..., list[Status]], tmp_path: Path) -> None:
    """Whatever their number was before, whichever of them run: the total exceeds the budget by what is in
    flight at most, a higher budget is used up, and without money left nothing is sent."""
    steps = [((1,), 1), ((1, 2), 2), ((1, 2, 3), 3), ((2,), 2), ((1, 3), 3), ((1,), 1)]
    budget = 0.0
    for numbers, of in steps:
        budget += 0.02
        statuses = run_shards(numbers, of, budget)
        assert Status.SKIPPED in statuses
        spent = _spent(tmp_path)
        assert budget - len(numbers) * IN_FLIGHT * EACH <= spent
        assert spent <= budget + len(numbers) * IN_FLIGHT * EACH
        for count in (1, 2, 3):
            run_shards(range(1, count + 1), count, spent)
        assert _spent(tmp_path) == pytest.approx(spent)


def test_a_shard_without_work_leaves_its_money_to_the_others(
    run_shards: Callable[..., list[Status]], tmp_path: Path
) -> None:
    """The budget is the model's: one of two shards may use all of it."""
    run_shards((2,), 2, 0.02)
    assert _spent(tmp_path) >= 0.02 - IN_FLIGHT * EACH


def test_what_other_shards_write_is_read_on(tmp_path: Path) -> None:
    """Lines that are appended, journals that begin later, and one that its next writer replaced.

    A line that is being written counts when it is complete.
    """
    written(journal_path(tmp_path, 2), exchange(1))
    written(tmp_path / "other/exchanges.jsonl", exchange(2))

    with opened(journal_path(tmp_path)) as journal:
        assert (journal.spent("r"), journal.spent_by_siblings("r")) == (0.0, 0.5)
        second = journal_path(tmp_path, 2)
        before = second.read_bytes()
        line = (tmp_path / "other/exchanges.jsonl").read_bytes()
        second.write_bytes(before + line[:40])
        assert journal.spent_by_siblings("r") == 0.5
        with second.open("ab") as file:
            file.write(line[40:])
        assert journal.spent_by_siblings("r") == 1.0
        shutil.copyfile(tmp_path / "other/exchanges.jsonl", journal_path(tmp_path, 5))
        assert journal.spent_by_siblings("r") == 1.5
        copy = tmp_path / "copy"
        shutil.copyfile(second, copy)
        copy.replace(second)
        with second.open("ab") as file:
            file.write(b"not JSON\nnor this\n")  # damage: reported by the job that writes this journal
        assert journal.spent_by_siblings("r") == 1.5
        assert journal.spent_by_siblings("another run") == 0.0
