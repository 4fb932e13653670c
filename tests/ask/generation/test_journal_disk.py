"""The journal on a disk that is full or fails, and a journal that other processes change."""

import os
import resource
from contextlib import contextmanager

import pytest

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal import Journal, JournalReader
from tests.support.journal_exchanges import all_of, exchange, key_of, opened, written


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
    with opened(path) as journal:
        with _full_at(len(before) + 100), pytest.raises(JournalError, match="Free space"):
            journal.append(exchange(2))
        assert path.read_bytes() == before
        assert journal.find(key_of(2)) is None
        journal.append(exchange(2))
    assert all_of(path) == [exchange(1), exchange(2)]


def test_a_batch_fails_as_a_whole(path):
    """If the disk fills up during a batch, all its appends raise, and none of its lines remain."""
    with opened(path) as journal:
        with _full_at(2_000):
            results = journal.tried(*map(exchange, range(50)), errors=True)
        found = [exchange(number) for number in range(50) if journal.find(key_of(number))]
        assert found == [result for result in results if not isinstance(result, JournalError)]
        assert len(found) < 50
    assert found == all_of(path)


def test_nothing_is_written_after_a_partial_line(path, monkeypatch):
    """If a partial line cannot be removed, every further append raises."""

    def ftruncate(handle, size):
        raise OSError(5, "Input/output error")

    with opened(path) as journal:
        journal.append(exchange(1))
        end = path.stat().st_size
        with monkeypatch.context() as patched, _full_at(end + 100):
            patched.setattr(os, "ftruncate", ftruncate)
            with pytest.raises(JournalError, match="cannot write an answer"):
                journal.append(exchange(2))
        with pytest.raises(JournalError, match=r"nor remove the part .*Check the disk"):
            journal.append(exchange(3))
    assert path.stat().st_size == end + 100
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
    with opened(path) as journal:
        journal.append(exchange(1))
        change(path)
        content = path.read_bytes() if path.exists() else None
        for number in (2, 3):
            with pytest.raises(JournalError, match="modified by another process"):
                journal.append(exchange(number))
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_path_that_cannot_be_used_is_named(path, tmp_path):
    """A file in place of the directory of a writer; a file that a reader misses."""
    with pytest.raises(JournalError, match=r"exchanges\.jsonl: cannot read the journal"):
        JournalReader(path)
    (tmp_path / "exchanges").write_text("")
    with pytest.raises(JournalError, match="cannot write the journal"):
        Journal.open(path)
