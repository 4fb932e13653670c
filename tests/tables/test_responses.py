"""Responses as a table."""

from __future__ import annotations

from bfcl_pipeline.records import Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.tables import read_table, write_responses
from bfcl_pipeline.tables.schemas import RESPONSES


def test_responses_have_the_documented_columns(tmp_path):
    """Every field has its column; enumerations are their texts and what is missing is null."""
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
    }
    assert first["steps"] == [
        {"turn": 0, "input_tokens": 3, "output_tokens": None, "latency_seconds": 0.5},
        {"turn": 1, "input_tokens": None, "output_tokens": None, "latency_seconds": None},
    ]
