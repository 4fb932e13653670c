"""The journals of one model side by side: who asks finds the answers of all, who reads sees them as one."""

import asyncio

import pytest
from journal_exchanges import exchange, key_of, written

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import (
    FolderReader,
    Journal,
    journal_path,
    journals_in,
)

EARLIER = "2026-09-01T12:00:00.000+00:00"


def test_journals_are_found_in_the_order_of_shards(tmp_path):
    """By number, not by name; what is not named as a journal is none."""
    for shard in (10, 2, 1):
        written(journal_path(tmp_path, shard), exchange(shard))
    for name in ("exchanges.jsonl.owner", "exchanges.0.jsonl", "exchanges.x.jsonl", "exchanges-old.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "exchanges.7.jsonl").mkdir()
    names = [path.name for path in journals_in(tmp_path)]
    assert names == ["exchanges.jsonl", "exchanges.2.jsonl", "exchanges.10.jsonl"]
    assert journals_in(tmp_path / "nowhere") == []


@pytest.mark.parametrize("shard", [1, 2, 3])
def test_answers_of_other_shards_are_found(tmp_path, shard):
    """Whichever shard asks, and if it never asked: all answers of the folder, and none is kept twice."""
    written(journal_path(tmp_path), exchange(1))
    written(journal_path(tmp_path, 2), exchange(2), exchange(3))
    journal_of_other_model = tmp_path / "beside" / "exchanges.jsonl"
    written(journal_of_other_model, exchange(4))

    async def scenario():
        journal = Journal.open(journal_path(tmp_path, shard))
        assert [journal.find(key_of(number)) for number in (1, 2, 3)] == [exchange(n) for n in (1, 2, 3)]
        assert journal.find(key_of(4)) is None
        assert await journal.append(exchange(2, raw="another")) == exchange(2)
        assert journal.spent("r") == 1.5
        await journal.append(exchange(5))
        assert journal.spent("r") == 2.0
        await journal.close()

    asyncio.run(scenario())
    with FolderReader(tmp_path) as folder:
        assert len(folder) == 4
        assert folder.spent("r") == 2.0


def test_a_shard_that_is_being_written_is_read(tmp_path):
    """Its whole lines are found, its torn end is passed over and left as it is."""
    other = journal_path(tmp_path, 2)
    written(other, exchange(2))
    other.write_bytes(other.read_bytes() + b'{"key"')
    content = other.read_bytes()

    async def scenario():
        journal = Journal.open(journal_path(tmp_path))
        assert journal.find(key_of(2)) == exchange(2)
        await journal.close()

    asyncio.run(scenario())
    with FolderReader(tmp_path) as folder:
        assert list(folder) == [exchange(2)]
    assert other.read_bytes() == content


def test_a_damaged_shard_is_told(tmp_path):
    """What another shard was answered cannot be told then: an error, and the journal has no owner."""
    journal_path(tmp_path, 2).write_bytes(b"no\nJSON\n")
    with pytest.raises(JournalError, match=r"exchanges\.2\.jsonl, line 1"):
        Journal.open(journal_path(tmp_path))
    assert not (tmp_path / "exchanges.jsonl.owner").exists()


def test_all_shards_are_read_as_one(tmp_path):
    """Each key once, shard by shard; the answer that came first stands, whoever reads; all costs count."""
    written(journal_path(tmp_path), exchange(1), exchange(2))
    late = [exchange(2, raw="early", received_at=EARLIER), exchange(1, raw="same time"), exchange(3)]
    written(tmp_path / "elsewhere" / "exchanges.jsonl", *late)
    (tmp_path / "elsewhere" / "exchanges.jsonl").rename(journal_path(tmp_path, 2))
    with FolderReader(tmp_path) as folder:
        assert list(folder) == [exchange(1), late[0], exchange(3)]
        assert len(folder) == 3
        assert folder.find(key_of(2)) == late[0]
        assert b'"early"' in folder.line(key_of(2))
        assert folder.find(key_of(4)) is None
        assert folder.spent("r") == 2.5
        assert key_of(3) in folder
        assert key_of(4) not in folder
        with pytest.raises(KeyError):
            folder.line(key_of(4))
    journal = Journal.open(journal_path(tmp_path))
    assert journal.find(key_of(2)) == late[0]
    asyncio.run(journal.close())


def test_a_folder_without_journals_holds_nothing(tmp_path):
    """Nothing was asked yet: no error."""
    with FolderReader(tmp_path / "none") as folder:
        assert len(folder) == 0
        assert folder.find(key_of(1)) is None
        assert folder.spent("r") == 0


def test_a_journal_of_another_name_stands_alone(tmp_path):
    """Only files that are named as journals are read beside each other."""
    written(journal_path(tmp_path), exchange(1))
    journal = Journal.open(tmp_path / "mine.jsonl")
    assert journal.find(key_of(1)) is None
    asyncio.run(journal.close())
