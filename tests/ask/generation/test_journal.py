"""The journal of its writer: append, find, costs, group commit."""

import asyncio
import json
import os
import threading

import pytest

from bfcl_pipeline.base.errors import JournalError, Malformed
from bfcl_pipeline.runs.journal import Journal
from tests.support.journal_exchanges import all_of, exchange, key_of, written

FIELDS = (
    "key entry_id trial turn run received_at latency_seconds input_tokens output_tokens dollars "
    "provenance raw"
)


@pytest.fixture
def path(tmp_path):
    """The path of a journal that does not exist yet."""
    return tmp_path / "exchanges" / "model" / "exchanges.jsonl"


def test_appended_exchanges_are_found(path):
    """Immediately, by readers at the same time, and by a later writer; other keys are not."""

    async def scenario():
        journal = Journal.open(path)
        assert journal.find(key_of(1)) is None
        assert await journal.append(exchange(1)) == exchange(1)
        assert journal.find(key_of(1)) == exchange(1) == all_of(path)[0]
        await journal.close()
        journal = Journal.open(path)
        assert journal.find(key_of(1)) == exchange(1)
        assert journal.find(key_of(2)) is None
        await journal.close()

    asyncio.run(scenario())


def test_lines_have_one_format(path):
    """One line of ASCII JSON for each exchange, with its fields in one order, in the order of appending."""
    raw = {"text": 'é\n"\ud800\u2028', "n": [1, 1.5, 1e-7, None, True]}
    written(path, exchange(1, raw=raw), exchange(2, dollars=None, run=None))
    content = path.read_bytes()
    assert content.isascii()
    first, second, end = content.split(b"\n")
    assert end == b""
    assert " ".join(json.loads(first)) == " ".join(json.loads(second)) == FIELDS
    assert json.loads(first)["raw"] == raw
    assert [json.loads(line)["entry_id"] for line in (first, second)] == [
        "simple_python_1",
        "simple_python_2",
    ]


def test_the_earlier_answer_wins(path):
    """Appending with the same key, at the same moment too, changes nothing and returns the first answer."""

    async def scenario():
        journal = Journal.open(path)
        together = [journal.append(exchange(1, raw=answer)) for answer in "ab"]
        assert [kept.raw for kept in await asyncio.gather(*together)] == ["a", "a"]
        assert (await journal.append(exchange(1, raw="c"))).raw == "a"
        await journal.close()

    asyncio.run(scenario())
    assert [kept.raw for kept in all_of(path)] == ["a"]


def test_costs_are_summed_by_run(path):
    """A run has spent the sum over its exchanges, including those of earlier jobs; unknown costs are 0."""
    written(path, exchange(1), exchange(2, dollars=0.25), exchange(3, run="s"), exchange(4, run=None))

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(5, dollars=None))
        await journal.append(exchange(6, dollars=1))
        assert [journal.spent(run) for run in ("r", "s", None, "t")] == [1.75, 0.5, 0.5, 0.0]
        await journal.close()

    asyncio.run(scenario())


def test_pending_lines_are_written_together(path, monkeypatch):
    """While the disk is busy with one line, 199 others arrive; they need one more sync."""
    real, syncs, arrived = os.fsync, [], threading.Event()

    def fsync(handle):
        assert arrived.wait(600)
        syncs.append(handle)
        real(handle)

    async def scenario():
        journal = Journal.open(path)
        monkeypatch.setattr(os, "fsync", fsync)
        appends = [asyncio.ensure_future(journal.append(exchange(number))) for number in range(200)]
        await asyncio.sleep(0)  # each append runs until it waits for its batch
        arrived.set()
        await asyncio.gather(*appends)
        assert 1 <= len(syncs) <= 2
        assert len(all_of(path)) == 200
        await journal.close()

    asyncio.run(scenario())


def test_an_append_returns_after_the_sync(path, monkeypatch):
    """While the disk is busy, no append has returned."""
    returned = []
    real = os.fsync

    def fsync(handle):
        assert not returned
        real(handle)

    async def scenario():
        journal = Journal.open(path)
        monkeypatch.setattr(os, "fsync", fsync)
        returned.append(await journal.append(exchange(1)))
        monkeypatch.undo()
        await journal.close()

    asyncio.run(scenario())
    assert returned


def test_a_received_answer_is_written_if_its_task_is_cancelled(path):
    """Cancelling a task while its answer is being written does not lose the answer."""

    async def scenario():
        journal = Journal.open(path)
        waiting = [asyncio.ensure_future(journal.append(exchange(number))) for number in range(3)]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in done)
        await journal.close()

    asyncio.run(scenario())
    assert len(all_of(path)) == 3


def test_closing_completes_pending_writes(path):
    """Closing waits for the disk; a later append is an error."""

    async def scenario():
        journal = Journal.open(path)
        waiting = asyncio.gather(*(journal.append(exchange(number)) for number in range(20)))
        await asyncio.sleep(0)
        await journal.close()
        await waiting
        with pytest.raises(JournalError, match="after the journal was closed"):
            await journal.append(exchange(20))
        with pytest.raises(JournalError):
            journal.find(key_of(1))

    asyncio.run(scenario())
    assert len(all_of(path)) == 20


@pytest.mark.parametrize(
    "raw",
    [float("nan"), {"a": float("inf")}, [10**5000], json.loads("[" * 300 + "]" * 300)],
    ids=["NaN", "infinity", "too many digits", "too deep"],
)
def test_an_invalid_answer_is_not_written(path, raw):
    """An answer that JSON cannot represent is malformed; others are written."""

    async def scenario():
        journal = Journal.open(path)
        with pytest.raises(Malformed):
            await journal.append(exchange(1, raw=raw))
        await journal.append(exchange(2))
        await journal.close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(2)]
