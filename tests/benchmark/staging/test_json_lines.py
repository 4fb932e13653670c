"""Rows of the release: errors name the file and line of a row that is not in the documented form."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.staging.json_lines import (
    JsonLine,
    by_id,
    check_function,
    read_rows,
    read_turns,
)
from bfcl_pipeline.benchmark.staging.source import Release

GOOD = b'{"id": "a"}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": ', "f:2: expected JSON"),
        (b"", "f:2: expected JSON"),
        (b"[1]", "f:2: expected a JSON object, got a list"),
        (b'{"id": "\xff"}', "f:2: expected JSON"),
        (b"[" * 100_000, "f:2: expected JSON"),
        (b'{"id": 1' + b"0" * 5000 + b"}", "f:2: expected JSON"),
    ],
    ids=["cut", "empty", "list", "not-utf8", "deep", "long-number"],
)
def test_a_malformed_line_is_named(line, message):
    """A line that is not a JSON object is named by file and line."""
    with pytest.raises(MalformedRelease, match=message):
        read_rows(Release("r", {"f": GOOD + line + b"\n" + GOOD}), "f")


def test_a_line_without_its_newline_counts():
    """The last line needs no newline, and only a newline ends a line."""
    rows = read_rows(Release("r", {"f": '{"id": "a\u2028b"}\n{"id": "c"}'.encode()}), "f")
    assert [row.value["id"] for row in rows] == ["a\u2028b", "c"]
    assert [row.where for row in rows] == ["f:1", "f:2"]


def test_a_duplicate_id_is_refused():
    """The error for a duplicate id names the second row and the first one."""
    with pytest.raises(MalformedRelease, match="f:2: expected every id once, got 'a' again, first at f:1"):
        by_id(read_rows(Release("r", {"f": GOOD + GOOD}), "f"))


def test_fields_have_their_types():
    """A field that is missing or of another kind is named with the row."""
    row = JsonLine("f:7", {"id": "a", "names": ["x", 1]})
    assert row.get("id", str) == "a"
    with pytest.raises(
        MalformedRelease, match="f:7: expected a field 'question', got the fields id, names"
    ):
        row.get("question", list)
    with pytest.raises(MalformedRelease, match="f:7: expected 'id' to be a list, got a str"):
        row.get("id", list)
    with pytest.raises(MalformedRelease, match="f:7: expected 'names' to be a list of texts"):
        row.texts("names")


@pytest.mark.parametrize(
    "turns", [["hi"], [[{"role": "user"}]], [[{"role": 1, "content": "hi"}]], [["hi"]]]
)
def test_turns_hold_messages(turns):
    """A turn that is not a list of messages is named with the row."""
    with pytest.raises(MalformedRelease, match="f:3: expected turns of messages"):
        read_turns(JsonLine("f:3", {"question": turns}))


@pytest.mark.parametrize("doc", ["f", {"name": "f"}, {"name": 1, "parameters": {}}, {"parameters": {}}])
def test_function_docs_have_name_and_parameters(doc):
    """A function doc without name or parameters is named with the row."""
    with pytest.raises(MalformedRelease, match="f:3: expected function docs"):
        check_function("f:3", doc)
