"""The lines of a journal: keys, and what may stand in a line."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journal_exchanges import exchange

from bfcl_pipeline.generation.journal import Kept, exchange_key
from bfcl_pipeline.generation.journal.lines import NoJson, from_line, to_document, to_line

_TEXT = st.text(st.characters(), max_size=20)  # lone surrogates too
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)

IDENTITY = {"kind": "openai_chat", "endpoint": "http://a/v1", "model": "m"}
BODY = {"messages": [{"role": "user", "content": "tea \ud800"}], "temperature": 0.0}


def test_a_key_is_a_sha256():
    """It depends on no order of names, no process and no version: a journal is to be found again."""
    key = exchange_key(IDENTITY, "simple_python_1", 1, BODY)
    assert key == "5adeedf63a9a3134f305b63c20fbd935cc9acca70683a7ed467c831345229497"
    assert key == exchange_key(
        dict(reversed(IDENTITY.items())), "simple_python_1", 1, dict(reversed(BODY.items()))
    )


@pytest.mark.parametrize(
    "asked",
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
def test_whatever_decides_an_answer_is_in_the_key(asked):
    """Who is asked, for what entry, which time, and every part of the body give another key."""
    assert exchange_key(*asked) != exchange_key(IDENTITY, "simple_python_1", 1, BODY)


@given(_JSON)
def test_any_answer_is_read_as_it_was_written(raw):
    """Any JSON value fits in a line, which is ASCII and has one line feed, at its end."""
    line = to_line(to_document(exchange(1, raw=raw)))
    assert line.isascii()
    assert line.index(b"\n") == len(line) - 1
    assert from_line(line) == exchange(1, raw=raw)


def test_a_line_has_all_that_is_kept():
    """No field of an exchange is left out of its line."""
    assert set(to_document(exchange(1))) == {field.name for field in fields(Kept)}
    for optional in ("run", "latency_seconds", "input_tokens", "output_tokens", "dollars", "raw"):
        untold = replace(exchange(1), **{optional: None})
        assert from_line(to_line(to_document(untold))) == untold


def test_brackets_in_a_text_are_no_levels():
    """An answer that writes many brackets is not a deep one."""
    raw = {"text": "[" * 5000, "calls": [{"n": n} for n in range(500)]}
    assert from_line(to_line(to_document(exchange(1, raw=raw)))).raw == raw


@pytest.mark.parametrize("line", [b"", b"\n", b"{", b"\0\0", b"\xff", b'{"a": 1', b"[" * 100_000])
def test_what_is_no_json_is_told_apart(line):
    """A torn line is not JSON; what is JSON was not torn."""
    with pytest.raises(NoJson):
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
        {name: held for name, held in _document().items() if name != "raw"},
    ],
)
def test_json_of_another_form_is_no_exchange(document):
    """Missing, further and mistyped fields are told, and not taken for a torn line."""
    with pytest.raises(ValueError, match="not those of an exchange") as told:
        from_line(json.dumps(document).encode())
    assert not isinstance(told.value, NoJson)
