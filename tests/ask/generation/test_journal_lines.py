"""The lines of a journal: keys, and valid content of a line."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.runs.journal import JournaledExchange, exchange_key
from bfcl_pipeline.runs.journal.lines import NotJson, from_line, to_document, to_line
from tests.support.journal_exchanges import PROVENANCE, exchange

_TEXT = st.text(st.characters(), max_size=20)  # lone surrogates too
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)

IDENTITY = {"kind": "openai_chat", "endpoint": "http://a/v1", "model": "m"}
BODY = {"messages": [{"role": "user", "content": "tea \ud800"}], "temperature": 0.0}


def test_a_key_is_a_sha256():
    """It does not depend on the order of names, the process or the version: journals stay usable."""
    key = exchange_key(IDENTITY, "simple_python_1", 1, BODY)
    assert key == "5adeedf63a9a3134f305b63c20fbd935cc9acca70683a7ed467c831345229497"
    assert key == exchange_key(
        dict(reversed(IDENTITY.items())), "simple_python_1", 1, dict(reversed(BODY.items()))
    )


@pytest.mark.parametrize(
    "request_parts",
    [
        ({**IDENTITY, "endpoint": "http://b/v1"}, "simple_python_1", 1, BODY),
        (IDENTITY, "simple_python_2", 1, BODY),
        (IDENTITY, "simple_python_1", 2, BODY),
        (IDENTITY, "simple_python_1", 1, {**BODY, "temperature": 0.1}),
        (IDENTITY, "simple_python_1", 1, {**BODY, "seed": None}),
        (IDENTITY, "simple_python_1", 1, {**BODY, "messages": BODY["messages"] * 2}),
        ([IDENTITY, "simple_python_1"], "1", 1, BODY),
    ],
)
def test_the_key_contains_everything_that_determines_an_answer(request_parts):
    """Another endpoint, entry, trial or any part of the body gives another key."""
    assert exchange_key(*request_parts) != exchange_key(IDENTITY, "simple_python_1", 1, BODY)


@settings(deadline=None)
@given(_JSON)
def test_any_answer_survives_writing_and_reading(raw):
    """Any JSON value fits in a line, which is ASCII and has one line feed, at its end."""
    line = to_line(to_document(exchange(1, raw=raw)))
    assert line.isascii()
    assert line.index(b"\n") == len(line) - 1
    assert from_line(line) == exchange(1, raw=raw)


def test_a_line_has_every_field():
    """No field of an exchange is missing from its line."""
    assert set(to_document(exchange(1))) == {field.name for field in fields(JournaledExchange)}
    for optional in ("run", "latency_seconds", "input_tokens", "output_tokens", "dollars", "raw"):
        absent = replace(exchange(1), **{optional: None})
        assert from_line(to_line(to_document(absent))) == absent


def test_brackets_in_a_text_are_not_nesting():
    """Many brackets in the text of an answer do not count as nesting."""
    raw = {"text": "[" * 5000, "calls": [{"n": n} for n in range(500)]}
    assert from_line(to_line(to_document(exchange(1, raw=raw)))).raw == raw


@pytest.mark.parametrize("line", [b"", b"\n", b"{", b"\0\0", b"\xff", b'{"a": 1', b"[" * 100_000])
def test_text_that_is_not_json_has_its_own_error(line):
    """A torn line is not JSON; a JSON line was not torn."""
    with pytest.raises(NotJson):
        from_line(line)


def _document(**changes):
    return {**to_document(exchange(1)), **changes}


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        _document(key=1),
        _document(trial="1"),
        _document(received_at=None),
        _document(dollars="1"),
        _document(more=1),
        *(
            {name: held for name, held in _document().items() if name != left}
            for left in ("raw", "provenance")
        ),
    ],
)
def test_json_with_other_fields_is_not_an_exchange(document):
    """Missing, additional and mistyped fields are an error, but not a torn line."""
    with pytest.raises(ValueError, match="not those of an exchange") as raised:
        from_line(json.dumps(document).encode())
    assert not isinstance(raised.value, NotJson)


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        "",
        PROVENANCE[:-1],
        PROVENANCE + "0",
        PROVENANCE.upper(),
        "../" + PROVENANCE[3:],
        PROVENANCE + "\n",
    ],
)
def test_only_a_sha256_names_a_record(value):
    """Nothing else is accepted, so that no path is made of anything else."""
    document = to_document(exchange(1)) | {"provenance": value}
    with pytest.raises(ValueError, match="not those of an exchange"):
        from_line(to_line(document))
