"""Journals that an interrupted writer, a power failure or an editor left incomplete or damaged."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal import Journal, JournalReader
from bfcl_pipeline.runs.journal.lines import to_document, to_line
from tests.support.journal_exchanges import exchange, key_of, opened

EXCHANGES = [exchange(number, raw={"text": "é\n{}[]" * number}) for number in range(1, 5)]
LINES = [to_line(to_document(each)) for each in EXCHANGES]
WHOLE = b"".join(LINES)
BYTES = st.integers(0, len(WHOLE))


@pytest.fixture
def path(tmp_path):
    """The path of a journal that does not exist yet."""
    return tmp_path / "exchanges.jsonl"


def _whole_lines(length):
    """The number of complete lines in the first `length` bytes, and where they end."""
    number = WHOLE[:length].count(b"\n")
    return number, sum(map(len, LINES[:number]))


def _opened(path):
    """The exchanges that a journal finds when it is opened for writing; one more is then appended."""
    with opened(path) as journal:
        found = [each for each in EXCHANGES if journal.find(each.key) == each]
        assert [each for each in EXCHANGES if journal.find(each.key)] == found
        journal.append(exchange(9))
        return found


def _check_tail(tail_at, tail):
    """A journal whose bytes from `tail_at` on are `tail` loses incomplete lines only."""
    number, end = _whole_lines(tail_at)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exchanges.jsonl"
        path.write_bytes(WHOLE[:tail_at] + tail)
        with JournalReader(path) as journal:
            assert list(journal) == EXCHANGES[:number]
            assert journal.torn_bytes == tail_at - end + len(tail)
        assert path.read_bytes() == WHOLE[:tail_at] + tail
        assert _opened(path) == EXCHANGES[:number]
        assert path.read_bytes() == WHOLE[:end] + to_line(to_document(exchange(9)))


TAILS = st.just(b"") | st.builds(
    lambda zeros, end: b"\0" * zeros + end, st.integers(1, 5000), st.sampled_from([b"", b"\n"])
)


@settings(deadline=None, max_examples=120)
@given(BYTES, TAILS)
def test_a_cut_costs_only_the_last_line(length, tail):
    """A file that is cut at any byte has all complete lines; appended lines follow them.

    A power failure may leave zero bytes within a line, or after it.
    """
    _check_tail(length, tail)


def test_a_removed_line_is_reported(path, capsys):
    """A line on stderr names the journal and the removed bytes; an intact journal prints nothing."""
    path.write_bytes(WHOLE[:-10])
    _opened(path)
    lost = len(LINES[-1]) - 10
    assert capsys.readouterr().err == (
        f"{path}: removed {lost:,} bytes of an incomplete last line, left by an interrupted writer.\n"
    )
    _opened(path)
    assert capsys.readouterr().err == ""


def _replaced(number, line):
    return b"".join([*LINES[: number - 1], line, *LINES[number:]])


@pytest.mark.parametrize(
    ("content", "number", "why"),
    [
        (_replaced(2, LINES[1][:-9] + b"\n"), 2, "not JSON"),
        (_replaced(2, b"\0" * len(LINES[1])), 2, "not JSON"),
        (_replaced(1, b"\n"), 1, "not JSON"),
        (_replaced(3, b"{\n{\n"), 3, "not JSON"),
        (_replaced(4, b'{"key": "k"}\n'), 4, "not those of an exchange"),
        (_replaced(4, b"1"), 4, "not those of an exchange"),
        (_replaced(3, to_line(to_document(exchange(1, raw="other")))), 3, "differs from an earlier line"),
    ],
    ids=["cut", "zeros", "empty", "two lines", "other fields", "other JSON", "another answer"],
)
def test_damage_before_the_end_is_an_error(path, content, number, why):
    """It names the line and what to do; neither reader nor writer changes the file."""
    path.write_bytes(content)
    for use in (JournalReader, Journal.open):
        with pytest.raises(JournalError, match=rf"line {number}: .*{why}.*sed -i {number}d "):
            use(path)
    assert path.read_bytes() == content


def test_the_same_line_twice_is_one_exchange(path):
    """A line that was copied to the end counts once."""
    path.write_bytes(WHOLE + LINES[0])
    with JournalReader(path) as journal:
        assert list(journal) == EXCHANGES
        assert journal.spent("r") == 0.5 * len(EXCHANGES)
    assert _opened(path) == EXCHANGES


def test_a_change_under_a_reader_is_an_error(path):
    """A line that was moved is an error, not another answer."""
    path.write_bytes(WHOLE)
    with JournalReader(path) as journal:
        path.write_bytes(WHOLE[5:])
        with pytest.raises(JournalError, match="changed while it was read"):
            journal.find(key_of(2))
