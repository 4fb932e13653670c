"""Responses as a table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.benchmark.tables import read_responses, read_table, write_responses, write_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES


def test_responses_have_the_documented_columns(tmp_path):
    """Every field has its column; enumerations are text and missing values are null."""
    responses = [
        Response(
            "e_1",
            "simple_python",
            Mode.FC,
            "[]",
            name_style=NameStyle.DOTTED,
            run="r",
            model="m",
            steps=(Step(0, 3, latency_seconds=0.5), Step(1)),
        ),
        Response(
            "e_0", "simple_python", Mode.PROMPT, None, Status.CONTEXT_OVERFLOW, "too long", input_tokens=7
        ),
    ]
    write_responses(tmp_path / "t", responses)
    table = read_table(tmp_path / "t")
    assert table.schema.equals(RESPONSES)
    first, second = table.to_pylist()
    assert (first["entry_id"], first["mode"], first["name_style"], first["status"]) == (
        "e_1",
        "fc",
        "dotted",
        "answered",
    )
    assert second == {
        "run": None,
        "model": None,
        "category": "simple_python",
        "entry_id": "e_0",
        "mode": "prompt",
        "name_style": None,
        "result_json": None,
        "status": "context_overflow",
        "status_detail": "too long",
        "input_tokens": 7,
        "output_tokens": None,
        "latency_seconds": None,
        "steps": [],
        "web": None,
    }
    assert first["steps"] == [
        {
            "turn": 0,
            "input_tokens": 3,
            "output_tokens": None,
            "latency_seconds": 0.5,
            "finish_reason": None,
        },
        {
            "turn": 1,
            "input_tokens": None,
            "output_tokens": None,
            "latency_seconds": None,
            "finish_reason": None,
        },
    ]


def test_written_responses_are_read(tmp_path):
    """Responses are read back equal; those of selected entries can be read alone."""
    responses = [
        Response("e_1", "simple_python", Mode.FC, "[]", name_style=NameStyle.DOTTED, steps=(Step(0, 3),)),
        Response("e_0", "simple_python", Mode.PROMPT, None, Status.CONTEXT_OVERFLOW, "too long"),
    ]
    write_responses(tmp_path / "t", responses)
    assert read_responses(tmp_path / "t") == responses
    assert read_responses(tmp_path / "t", {"e_0"}) == responses[1:]
    assert read_responses(tmp_path / "t", {"e_2"}) == []


def test_a_row_that_cannot_be_read_is_named(tmp_path):
    """The error for an unknown mode names the table, the entry and the mode."""
    row = {"entry_id": "e_1", "category": "simple_python", "mode": "chat"}
    write_table(tmp_path / "t", pa.Table.from_pylist([row], schema=RESPONSES))
    with pytest.raises(TableError, match=r"t: the response to 'e_1' .*'chat'"):
        read_responses(tmp_path / "t")


def test_a_table_brought_from_elsewhere_needs_few_columns(tmp_path):
    """Nullable columns may be missing; without entry ids it is not a table of responses."""
    row = {"entry_id": "e_1", "category": "simple_python", "mode": "fc", "result_json": "[]", "note": "x"}
    write_table(tmp_path / "t", pa.Table.from_pylist([row]))
    assert read_responses(tmp_path / "t") == [Response("e_1", "simple_python", Mode.FC, "[]")]
    write_table(tmp_path / "t", pa.table({"category": ["simple_python"], "mode": ["fc"]}))
    with pytest.raises(TableError, match="column 'entry_id' is missing"):
        read_responses(tmp_path / "t")
