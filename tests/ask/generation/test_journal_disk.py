"""The journal on a disk that is full or fails, and a journal that other processes change."""

import asyncio
import os
import resource
from contextlib import contextmanager

import pytest

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal import Journal, JournalReader
from tests.support.journal_exchanges import all_of, exchange, key_of, written


@pytest.fixture
def path(tmp_path):
    """The path of a journal that does not exist yet."""
    return tmp_path / "exchanges" / "model" / "exchanges.jsonl"


@contextmanager
def _full_at(size):
    """Within the block no file can grow beyond `size` bytes: the rest of a write fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_no_partial_line(path):
    """A line that cannot be written completely is removed; once there is space, writing continues."""
    written(path, exchange(1))
    before = path.read_bytes()

    async def scenario():
        journal = Journal.open(path)
        with _full_at(len(before) + 100), pytest.raises(JournalError, match="Free space"):
            await journal.append(exchange(2))
        assert path.read_bytes() == before
        assert journal.find(key_of(2)) is None
        await journal.append(exchange(2))
        await journal.close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(1), exchange(2)]


def test_a_batch_fails_as_a_whole(path):
    """If the disk fills up during a batch, all its appends raise, and none of its lines remain."""

    async def scenario():
        journal = Journal.open(path)
        with _full_at(2_000):
            first, *others = await asyncio.gather(
                *(journal.append(exchange(number)) for number in range(50)), return_exceptions=True
            )
        found = [exchange(number) for number in range(50) if journal.find(key_of(number))]
        returned = [result for result in (first, *others) if not isinstance(result, JournalError)]
        assert found == returned
        assert len(returned) < 50
        await journal.close()
        return returned

    assert asyncio.run(scenario()) == all_of(path)


def test_nothing_is_written_after_a_partial_line(path, monkeypatch):
    """If a partial line cannot be removed, every further append raises."""

    def ftruncate(handle, size):
        raise OSError(5, "Input/output error")

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(1))
        end = path.stat().st_size
        with monkeypatch.context() as patched, _full_at(end + 100):
            patched.setattr(os, "ftruncate", ftruncate)
            with pytest.raises(JournalError, match="cannot write an answer"):
                await journal.append(exchange(2))
        with pytest.raises(JournalError, match=r"nor remove the part .*Check the disk"):
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
def test_a_modified_file_is_not_written(path, change):
    """A journal that another process changed is an error for its writer, and is not changed further."""

    async def scenario():
        journal = Journal.open(path)
        await journal.append(exchange(1))
        change(path)
        content = path.read_bytes() if path.exists() else None
        for number in (2, 3):
            with pytest.raises(JournalError, match="modified by another process"):
                await journal.append(exchange(number))
        await journal.close()
        assert (path.read_bytes() if path.exists() else None) == content

    asyncio.run(scenario())


def test_an_unwritable_path_is_an_error(tmp_path):
    """A file in place of the directory is named."""
    (tmp_path / "exchanges").write_text("")
    with pytest.raises(JournalError, match="cannot write the journal"):
        Journal.open(tmp_path / "exchanges" / "model" / "exchanges.jsonl")


def test_a_missing_journal_is_an_error(path):
    """The error of a reader names the file."""
    with pytest.raises(JournalError, match=r"exchanges\.jsonl: cannot read the journal"):
        JournalReader(path)
