"""The journals of one model's shards: a writer finds the answers of all, a reader combines them."""

import pytest

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal import Journal, JournalsReader, journal_path, journals_in
from tests.support.journal_exchanges import exchange, key_of, opened, written

EARLIER = "2026-09-01T12:00:00.000+00:00"


def test_journals_are_sorted_by_shard(tmp_path):
    """By number, not by name; files with other names are not journals."""
    for shard in (10, 2, 1):
        written(journal_path(tmp_path, shard), exchange(shard))
    for name in ("exchanges.jsonl.owner", "exchanges.0.jsonl", "exchanges.x.jsonl", "exchanges-old.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "exchanges.7.jsonl").mkdir()
    names = [path.name for path in journals_in(tmp_path)]
    assert names == ["exchanges.jsonl", "exchanges.2.jsonl", "exchanges.10.jsonl"]


@pytest.mark.parametrize("shard", [1, 2, 3])
def test_answers_of_other_shards_are_found(tmp_path, shard):
    """Any shard, even a new one, finds all answers of the directory, and none is written twice."""
    written(journal_path(tmp_path), exchange(1))
    written(journal_path(tmp_path, 2), exchange(2), exchange(3))
    written(tmp_path / "beside" / "exchanges.jsonl", exchange(4))
    with opened(journal_path(tmp_path, shard)) as journal:
        assert [journal.find(key_of(number)) for number in (1, 2, 3)] == [exchange(n) for n in (1, 2, 3)]
        assert journal.find(key_of(4)) is None
        assert journal.append(exchange(2, raw="another")) == [exchange(2)]
        assert journal.spent("r") + journal.spent_by_siblings("r") == 1.5
        journal.append(exchange(5))
        assert journal.spent("r") + journal.spent_by_siblings("r") == 2.0
    with JournalsReader(journals_in(tmp_path)) as journals:
        assert len(list(journals)) == 4
        assert journals.spent("r") == 2.0


def test_a_shard_that_is_being_written_is_read(tmp_path):
    """Its complete lines are found; its torn last line is ignored and unchanged."""
    other = journal_path(tmp_path, 2)
    written(other, exchange(2))
    other.write_bytes(other.read_bytes() + b'{"key"')
    content = other.read_bytes()
    with opened(journal_path(tmp_path)) as journal:
        assert journal.find(key_of(2)) == exchange(2)
    with JournalsReader(journals_in(tmp_path)) as journals:
        assert list(journals) == [exchange(2)]
    assert other.read_bytes() == content


def test_a_damaged_shard_is_an_error(tmp_path):
    """Without the other shard's answers the journal is not opened, and no lock file remains."""
    journal_path(tmp_path, 2).write_bytes(b"no\nJSON\n")
    with pytest.raises(JournalError, match=r"exchanges\.2\.jsonl, line 1"):
        Journal.open(journal_path(tmp_path))
    assert not (tmp_path / "exchanges.jsonl.owner").exists()


def test_all_shards_are_combined(tmp_path):
    """Each key once, shard by shard; the answer that was received first is used; all costs count."""
    written(journal_path(tmp_path), exchange(1), exchange(2))
    late = [exchange(2, raw="early", received_at=EARLIER), exchange(1, raw="same time"), exchange(3)]
    written(tmp_path / "elsewhere" / "exchanges.jsonl", *late)
    (tmp_path / "elsewhere" / "exchanges.jsonl").rename(journal_path(tmp_path, 2))
    with JournalsReader(journals_in(tmp_path)) as journals:
        assert list(journals) == [exchange(1), late[0], exchange(3)]
        assert journals.find(key_of(2)) == late[0]
        assert b'"early"' in journals.line(key_of(2))
        assert journals.find(key_of(4)) is None
        assert journals.spent("r") == 2.5
        assert [key_of(number) in journals for number in (3, 4)] == [True, False]
        with pytest.raises(KeyError):
            journals.line(key_of(4))
    with opened(journal_path(tmp_path)) as journal:
        assert journal.find(key_of(2)) == late[0]
    with opened(tmp_path / "mine.jsonl") as journal:  # its name is not that of a journal of a shard
        assert journal.find(key_of(1)) is None


def test_a_directory_without_journals_is_empty(tmp_path):
    """No request was sent yet: not an error."""
    assert journals_in(tmp_path / "none") == []
    with JournalsReader([]) as journals:
        assert list(journals) == []
        assert journals.find(key_of(1)) is None
        assert journals.spent("r") == 0
