"""API keys are redacted in the journal."""

import asyncio
import json
from urllib.parse import quote

import pytest

from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.runs.journal import Journal
from tests.support.journal_exchanges import exchange, key_of

SECRET = 'sk-Ab/c+9 "quoted" \\ \u00fc\u20ac\U0001f600 end'


def _kept(path, secrets, *exchanges):
    async def scenario():
        journal = Journal.open(path, secrets)
        kept = [await journal.append(one) for one in exchanges]
        await journal.close()
        return kept

    return asyncio.run(scenario())


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
def test_a_secret_is_not_written(tmp_path, text, place):
    """Wherever a server echoes it, in any encoding; `append` returns the exchange as it was written."""
    path = tmp_path / "exchanges.jsonl"
    (kept,) = _kept(path, [SECRET], exchange(1, raw=place(text)))
    written = path.read_text()
    assert REDACTED in written
    for trace in ("sk-Ab", "quoted", "u20ac", "%E2%82%AC", "end"):
        assert trace not in written
    assert json.loads(written)["raw"] == kept.raw
    assert kept.key == key_of(1)


def test_other_text_is_unchanged(tmp_path):
    """Numbers, texts that merely look like keys, and placeholder keys are not redacted."""
    raw = {"n": 123456789, "text": "sk-proj-0123abcdef EMPTY", "s": "AIzaSy0abc"}
    (kept,) = _kept(tmp_path / "exchanges.jsonl", ["123456789", "EMPTY", ""], exchange(1, raw=raw))
    assert kept.raw == raw


def test_line_feeds_around_a_secret_are_ignored(tmp_path):
    """A key that was read from a file with a line feed at its end is redacted without it."""
    (kept,) = _kept(tmp_path / "exchanges.jsonl", ["12345678-abcdef\n"], exchange(1, raw="12345678-abcdef"))
    assert kept.raw == REDACTED
