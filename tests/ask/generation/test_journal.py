"""The journal of its writer: append, find, costs, group commit, secrets."""

import asyncio
import json
import os
import threading
from urllib.parse import quote

import pytest

from bfcl_pipeline.base.errors import JournalError, Malformed
from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.runs.journal import Journal
from tests.support.journal_exchanges import all_of, exchange, key_of, opened, written

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
    with opened(path) as journal:
        assert journal.find(key_of(1)) is None
        assert journal.append(exchange(1)) == [exchange(1)]
        assert journal.find(key_of(1)) == exchange(1) == all_of(path)[0]
    with opened(path) as journal:
        assert journal.find(key_of(1)) == exchange(1)
        assert journal.find(key_of(2)) is None


def test_lines_have_one_format(path):
    """One line of ASCII JSON for each exchange, with its fields in one order, in the order of appending."""
    raw = {"text": 'é\n"\ud800\u2028', "n": [1, 1.5, 1e-7, None, True]}
    written(path, exchange(1, raw=raw), exchange(2, dollars=None, run=None))
    content = path.read_bytes()
    assert content.isascii()
    assert content.endswith(b"\n")
    first, second = map(json.loads, content.splitlines())
    assert " ".join(first) == " ".join(second) == FIELDS
    assert first["raw"] == raw
    assert (first["entry_id"], second["entry_id"]) == ("simple_python_1", "simple_python_2")


def test_the_earlier_answer_wins(path):
    """Appending with the same key, at the same moment too, changes nothing and returns the first answer."""
    with opened(path) as journal:
        kept = journal.append(*(exchange(1, raw=answer) for answer in "ab"))
        kept += journal.append(exchange(1, raw="c"))
    assert [one.raw for one in (*kept, *all_of(path))] == ["a"] * 4


def test_costs_are_summed_by_run(path):
    """A run has spent the sum over its exchanges, including those of earlier jobs; unknown costs are 0."""
    written(path, exchange(1), exchange(2, dollars=0.25), exchange(3, run="s"), exchange(4, run=None))
    with opened(path) as journal:
        journal.append(exchange(5, dollars=None), exchange(6, dollars=1))
        assert [journal.spent(run) for run in ("r", "s", None, "t")] == [1.75, 0.5, 0.5, 0.0]


def test_pending_lines_are_written_together(path, monkeypatch):
    """While the disk is busy with one line, 199 others arrive; they need one more sync.

    No append returns before it.
    """
    real, syncs, arrived, returned = os.fsync, [], threading.Event(), []

    def fsync(handle):
        assert arrived.wait(600)
        assert not syncs or len(returned) < 200
        syncs.append(handle)
        real(handle)

    async def append(journal, number):
        await journal.append(exchange(number))
        assert syncs
        returned.append(number)

    async def scenario():
        journal = Journal.open(path)
        monkeypatch.setattr(os, "fsync", fsync)
        appends = [asyncio.ensure_future(append(journal, number)) for number in range(200)]
        await asyncio.sleep(0)  # each append runs until it waits for its batch
        assert not returned
        arrived.set()
        await asyncio.gather(*appends)
        assert 1 <= len(syncs) <= 2
        assert len(all_of(path)) == 200
        await journal.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("cancelled", [False, True])
def test_closing_completes_pending_writes(path, cancelled):
    """Also those whose tasks are cancelled: no answer is lost. A later append is an error."""

    async def scenario():
        journal = Journal.open(path)
        waiting = [asyncio.ensure_future(journal.append(exchange(number))) for number in range(20)]
        await asyncio.sleep(0)
        for one in waiting if cancelled else ():
            one.cancel()
        await journal.close()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        assert {isinstance(one, asyncio.CancelledError) for one in done} == {cancelled}
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
    with opened(path) as journal:
        with pytest.raises(Malformed):
            journal.append(exchange(1, raw=raw))
        journal.append(exchange(2))
    assert all_of(path) == [exchange(2)]


SECRET = 'sk-Ab/c+9 "quoted" \\ \u00fc\u20ac\U0001f600 end'


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"Bearer {SECRET}.",
        json.dumps({"key": SECRET}),
        json.dumps({"key": SECRET}, ensure_ascii=False),
        f"http://a/?key={quote(SECRET, safe='')}&q=1",
    ],
    ids=["alone", "in a text", "in JSON", "in JSON beyond ASCII", "in an address"],
)
@pytest.mark.parametrize("place", [lambda text: text, lambda text: {"a": [{text: 1}, (text, 2)]}])
def test_a_secret_is_not_written(path, text, place):
    """Wherever a server echoes it, in any encoding; `append` returns the exchange as it was written."""
    with opened(path, [SECRET]) as journal:
        (kept,) = journal.append(exchange(1, raw=place(text)))
    content = path.read_text()
    assert REDACTED in content
    for trace in ("sk-Ab", "quoted", "u20ac", "%E2%82%AC", "end"):
        assert trace not in content
    assert json.loads(content)["raw"] == kept.raw
    assert kept.key == key_of(1)


@pytest.mark.parametrize(
    ("secret", "raw", "kept"),
    [
        ("123456789", 123456789, 123456789),
        ("EMPTY", "sk-proj-0123abcdef EMPTY", "sk-proj-0123abcdef EMPTY"),
        ("", "AIzaSy0abc", "AIzaSy0abc"),
        ("12345678-abcdef\n", "12345678-abcdef", REDACTED),
    ],
    ids=["a number", "a placeholder", "no key", "a line feed around a key"],
)
def test_only_keys_are_redacted(path, secret, raw, kept):
    """Numbers, texts that merely look like keys, and placeholder keys are not."""
    with opened(path, [secret]) as journal:
        assert journal.append(exchange(1, raw=raw))[0].raw == kept
