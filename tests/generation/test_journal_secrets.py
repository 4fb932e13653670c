"""Keys stay out of the journal."""

import asyncio
import json
from urllib.parse import quote

import pytest
from journal_exchanges import exchange, key_of

from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.generation.journal.secrets import SCRUBBED, Secrets

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
    """Wherever a server sends it back, and in whatever form; what is returned is what was written."""
    path = tmp_path / "exchanges.jsonl"
    (kept,) = _kept(path, [SECRET], exchange(1, raw=place(text)))
    written = path.read_text()
    assert SCRUBBED in written
    for trace in ("sk-Ab", "quoted", "u20ac", "%E2%82%AC", "end"):
        assert trace not in written
    assert json.loads(written)["raw"] == kept.raw
    assert kept.key == key_of(1)


def test_the_rest_stays_as_it_was(tmp_path):
    """Other answers are not changed: numbers, texts that look like keys, words that stand for no key."""
    raw = {"n": 123456789, "text": "sk-proj-0123abcdef EMPTY", "s": "AIzaSy0abc"}
    (kept,) = _kept(tmp_path / "exchanges.jsonl", ["123456789", "EMPTY", ""], exchange(1, raw=raw))
    assert kept.raw == raw


def test_a_secret_within_another_leaves_nothing_of_it():
    """Of two secrets the longer is taken out first; line feeds around one do not hide it."""
    secrets = Secrets(["12345678", "12345678-abcdef\n"])
    assert secrets.scrubbed("12345678-abcdef 12345678") == f"{SCRUBBED} {SCRUBBED}"
