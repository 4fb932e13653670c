"""The journal as its writer uses it: append, find, costs, group commit."""

import asyncio
import json
import os

import pytest
from journal_exchanges import all_of, exchange, key_of, written

from bfcl_pipeline.errors import JournalError, Malformed
from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.generation.journal import file as module

FIELDS = "key entry_id trial turn run received_at latency_seconds input_tokens output_tokens dollars raw"


@pytest.fixture
def path(tmp_path):
    """Where a journal may be."""
    return tmp_path / "exchanges" / "model" / "exchanges.jsonl"


def test_what_was_appended_is_found_again(path):
    """At once, by another writer later, and by readers meanwhile; nothing else is."""

    async def scenario():
        journal = Journal.open(path)
        assert journal.find(key_of(1)) is None
        assert await journal.append(exchange(1)) == exchange(1)
        assert journal.find(key_of(1)) == exchange(1) == all_of(path)[0]
        await journal.close()
        journal = Journal.open(path)
        assert journal.find(key_of(1)) == exchange(1)
        assert journal.find(key_of(2)) is None
        assert len(journal) == 1
        await journal.close()

    asyncio.run(scenario())


def test_lines_are_of_one_form(path):
    """One line of JSON in ASCII for each exchange, its fields in one order, in the order of appending."""
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
    """Appending under a key again, at the same moment too, changes nothing and returns what stands."""

    async def scenario():
        journal = Journal.open(path)
        together = [journal.append(exchange(1, raw=answer)) for answer in "ab"]
        assert [kept.raw for kept in await asyncio.gather(*together)] == ["a", "a"]
        assert (await journal.append(exchange(1, raw="c"))).raw == "a"
        await journal.close()

    asyncio.run(scenario())
    assert [kept.raw for kept in all_of(path)] == ["a"]


def test_costs_are_told_by_run(path):
    """What a run has spent is the sum over its exchanges, those of earlier jobs too; unknown is 0."""
    written(path, exchange(1), exchange(2, dollars=0.25), exchange(3, run="s"), exchange(4, run=None))

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(5, dollars=None))
        await journal.append(exchange(6, dollars=1))
        assert [journal.spent(run) for run in ("r", "s", None, "t")] == [1.75, 0.5, 0.5, 0.0]
        await journal.close()

    asyncio.run(scenario())


def test_what_waits_goes_to_the_disk_together(path):
    """200 appends at once wait for the disk a few times only, and all are there when they return."""

    async def scenario():
        journal = Journal.open(path)
        before = journal.syncs
        await asyncio.gather(*(journal.append(exchange(number)) for number in range(200)))
        assert len(all_of(path)) == 200
        assert 1 <= journal.syncs - before <= 3
        await journal.close()

    asyncio.run(scenario())


def test_nobody_is_told_before_the_disk_has_it(path, monkeypatch):
    """An append has not returned while the disk is waited for."""
    told = []
    real = os.fsync

    def fsync(handle):
        assert not told
        real(handle)

    async def scenario():
        journal = Journal.open(path)
        monkeypatch.setattr(module.os, "fsync", fsync)
        told.append(await journal.append(exchange(1)))
        monkeypatch.undo()
        await journal.close()

    asyncio.run(scenario())
    assert told


def test_what_was_received_is_kept_though_nobody_waits(path):
    """A task that is cancelled while its answer is being written does not take the answer with it."""

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


def test_closing_keeps_what_is_beingwritten(path):
    """Closing waits for the disk; after it nothing is kept, and that is told."""

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
    ids=["no number", "infinity", "too many digits", "too deep"],
)
def test_what_json_cannot_say_is_not_kept(path, raw):
    """Such an answer is malformed; the others go on."""

    async def scenario():
        journal = Journal.open(path)
        with pytest.raises(Malformed):
            await journal.append(exchange(1, raw=raw))
        await journal.append(exchange(2))
        await journal.close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(2)]
