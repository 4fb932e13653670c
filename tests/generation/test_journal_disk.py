"""The journal on a disk that is full, fails, or is changed by others."""

import asyncio
import resource
from contextlib import contextmanager

import pytest
from journal_exchanges import all_of, exchange, key_of, written

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal, JournalReader
from bfcl_pipeline.generation.journal import file as module


@pytest.fixture
def path(tmp_path):
    """Where a journal may be."""
    return tmp_path / "exchanges" / "model" / "exchanges.jsonl"


@contextmanager
def _full_at(size):
    """As long as it is open, no file grows beyond `size` bytes: the rest of a write is refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_no_half_line(path):
    """What could not be written whole is taken back and told; once there is room, writing goes on."""
    written(path, exchange(1))
    before = path.read_bytes()

    async def scenario():
        journal = Journal.open(path)
        with _full_at(len(before) + 100), pytest.raises(JournalError, match="Make room"):
            await journal.append(exchange(2))
        assert path.read_bytes() == before
        assert journal.find(key_of(2)) is None
        await journal.append(exchange(2))
        await journal.close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(1), exchange(2)]


def test_of_a_batch_that_fails_nobody_is_told_that_it_is_kept(path):
    """When the disk fills up in the middle, all that waited hear it, and nothing of theirs stays."""

    async def scenario():
        journal = Journal.open(path)
        with _full_at(2_000):
            first, *others = await asyncio.gather(
                *(journal.append(exchange(number)) for number in range(50)), return_exceptions=True
            )
        kept = [number for number in range(50) if journal.find(key_of(number))]
        told = [one for one in (first, *others) if not isinstance(one, JournalError)]
        assert [exchange(number) for number in kept] == told
        assert len(told) < 50
        await journal.close()
        return told

    told = asyncio.run(scenario())
    assert all_of(path) == told


def test_where_nothing_can_be_taken_back_nothing_more_iswritten(path, monkeypatch):
    """A disk that fails altogether ends the writing: no line is put behind half a line."""

    def ftruncate(handle, size):
        raise OSError(5, "Input/output error")

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(1))
        end = path.stat().st_size
        with monkeypatch.context() as patched, _full_at(end + 100):
            patched.setattr(module.os, "ftruncate", ftruncate)
            with pytest.raises(JournalError, match="could not be written"):
                await journal.append(exchange(2))
        with pytest.raises(JournalError, match=r"taken away .*See to the disk"):
            await journal.append(exchange(3))
        await journal.close()
        assert path.stat().st_size == end + 100

    asyncio.run(scenario())
    assert written(path, exchange(2)) == [exchange(2)]
    assert all_of(path) == [exchange(1), exchange(2)]


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
        lambda path: path.write_bytes(path.rename(path.with_name("other")).read_bytes()),
    ],
    ids=["deleted", "emptied", "appended to", "replaced"],
)
def test_a_file_that_others_change_is_written_no_more(path, change):
    """A journal that was changed under its writer is told, and is not changed further."""

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(1))
        change(path)
        content = path.read_bytes() if path.exists() else None
        for number in (2, 3):
            with pytest.raises(JournalError, match="changed by another than the job that writes it"):
                await journal.append(exchange(number))
        await journal.close()
        assert (path.read_bytes() if path.exists() else None) == content

    asyncio.run(scenario())


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    """A file in place of the folder is named, not run into."""
    (tmp_path / "exchanges").write_text("")
    with pytest.raises(JournalError, match="the journal cannot be written"):
        Journal.open(tmp_path / "exchanges" / "model" / "exchanges.jsonl")


def test_a_missing_journal_is_told(path):
    """Reading one that is not there is an error that names it."""
    with pytest.raises(JournalError, match=r"exchanges\.jsonl: no journal that can be read"):
        JournalReader(path)
