"""What a writer that was stopped, a power cut or an editor leaves in a journal, and what becomes of it."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_exchanges import exchange, key_of

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal, JournalReader
from bfcl_pipeline.generation.journal.lines import to_document, to_line

EXCHANGES = [exchange(number, raw={"text": "é\n{}[]" * number}) for number in range(1, 5)]
LINES = [to_line(to_document(kept)) for kept in EXCHANGES]
WHOLE = b"".join(LINES)
BYTES = st.integers(0, len(WHOLE))


@pytest.fixture
def path(tmp_path):
    """Where a journal may be."""
    return tmp_path / "exchanges.jsonl"


def _whole_lines(length):
    """How many lines stand whole in the first `length` bytes, and where they end."""
    number = WHOLE[:length].count(b"\n")
    return number, sum(map(len, LINES[:number]))


def _opened(path):
    """What a journal holds when it is opened for writing; one exchange is then appended."""

    async def scenario():
        journal = Journal.open(path)
        held = [kept for kept in EXCHANGES if journal.find(kept.key) == kept]
        assert len(journal) == len(held)
        await journal.append(exchange(9))
        await journal.close()
        return held

    return asyncio.run(scenario())


def _check_tail(tail_at, tail):
    """A journal whose end from `tail_at` on is `tail` has lost what is not whole, and goes on."""
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


@settings(deadline=None, max_examples=60)
@given(BYTES)
def test_a_cut_costs_only_the_last_line(length):
    """A file that ends at any byte has all lines that are whole; what is appended follows them."""
    _check_tail(length, b"")


@settings(deadline=None, max_examples=60)
@given(BYTES, st.integers(1, 5000), st.sampled_from([b"", b"\n"]))
def test_zero_bytes_at_the_end_cost_only_the_last_line(length, zeros, end):
    """As a file system leaves them when the power fails: within a line, or after it."""
    _check_tail(length, b"\0" * zeros + end)


def test_what_is_cut_off_is_told(path, capsys):
    """A line on stderr says which journal was mended, and of how many bytes; a whole one says nothing."""
    path.write_bytes(WHOLE[:-10])
    _opened(path)
    lost = len(LINES[-1]) - 10
    assert capsys.readouterr().err == (
        f"{path}: the last line was not whole, as a writer was stopped; its {lost:,} bytes are cut off.\n"
    )
    asyncio.run(Journal.open(path).close())
    assert capsys.readouterr().err == ""


def _replaced(number, line):
    return b"".join([*LINES[: number - 1], line, *LINES[number:]])


@pytest.mark.parametrize(
    ("content", "number", "why"),
    [
        (_replaced(2, LINES[1][:-9] + b"\n"), 2, "no JSON"),
        (_replaced(2, b"\0" * len(LINES[1])), 2, "no JSON"),
        (_replaced(1, b"\n"), 1, "no JSON"),
        (_replaced(3, b"{\n{\n"), 3, "no JSON"),
        (_replaced(4, b'{"key": "k"}\n'), 4, "not those of an exchange"),
        (_replaced(4, b"1"), 4, "not those of an exchange"),
        (_replaced(3, to_line(to_document(exchange(1, raw="other")))), 3, "another answer"),
    ],
    ids=["cut", "zeros", "empty", "two lines", "other fields", "other JSON", "another answer"],
)
def test_damage_before_the_end_is_an_error(path, content, number, why):
    """It is told with its line and what to do; neither reader nor writer changes the file."""
    path.write_bytes(content)
    for use in (JournalReader, Journal.open):
        with pytest.raises(JournalError, match=rf"line {number}: .*{why}.*sed -i {number}d "):
            use(path)
    assert path.read_bytes() == content


def test_the_same_line_twice_is_one_exchange(path):
    """A line that was copied behind the others counts once."""
    path.write_bytes(WHOLE + LINES[0])
    with JournalReader(path) as journal:
        assert len(journal) == len(EXCHANGES)
        assert journal.spent("r") == 0.5 * len(EXCHANGES)
    assert _opened(path) == EXCHANGES


def test_what_changes_under_a_reader_is_told(path):
    """A line that is no longer where it was is an error, not another answer."""
    path.write_bytes(WHOLE)
    with JournalReader(path) as journal:
        path.write_bytes(WHOLE[5:])
        with pytest.raises(JournalError, match="changed while it was read"):
            journal.find(key_of(2))
