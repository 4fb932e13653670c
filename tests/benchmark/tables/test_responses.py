"""Responses as a table."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.benchmark.tables import read_responses, read_table, write_responses, write_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES


def test_written_responses_are_read(tmp_path):
    """Every field has its column and comes back; enumerations are text; selected entries are read alone."""
    steps = (Step(0, 3, 4, 0.5, "stop"), Step(1))
    all_fields = replace(
        Response("e_1", "simple_python", Mode.FC, "[]", Status.ANSWERED, "detail"),
        **{"name_style": NameStyle.DOTTED, "run": "r", "model": "m", "web": "live", "steps": steps},
        **{"input_tokens": 7, "output_tokens": 8, "latency_seconds": 0.5},
    )
    few = Response("e_0", "simple_python", Mode.PROMPT, None, Status.CONTEXT_OVERFLOW, "too long")
    write_responses(tmp_path / "t", [all_fields, few])
    table = read_table(tmp_path / "t")
    assert table.schema.equals(RESPONSES)
    first, second = table.to_pylist()
    assert None not in first.values()
    assert [first[name] for name in ("mode", "name_style", "status")] == ["fc", "dotted", "answered"]
    given = ("category", "entry_id", "mode", "status", "status_detail")
    assert {name for name, value in second.items() if value not in (None, [])} == {*given}
    assert read_responses(tmp_path / "t") == [all_fields, few]
    assert read_responses(tmp_path / "t", {"e_0"}) == [few]
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
