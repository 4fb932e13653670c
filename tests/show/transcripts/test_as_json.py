"""The form of records in a page."""

from __future__ import annotations

import json

from bfcl_pipeline.show.transcripts.parts import (
    TERMINAL,
    AnswerRecord,
    AnswerTurn,
    Item,
    Kind,
    Room,
    VerdictRecord,
    as_json,
)


def test_what_is_empty_or_a_default_is_left_out():
    """Only fields with a value are there, and `valid` always, also if it is false or null."""
    record = AnswerRecord(
        "m",
        "e",
        (AnswerTurn((Item(Kind.CALL, "f()", label="step 1"),), missing=(0,)),),
        verdicts=(
            VerdictRecord("official", False, "answered", "x", turn=0),
            VerdictRecord("verified", None, "left_out"),
        ),
    )
    assert as_json(record) == {
        "model": "m",
        "entry_id": "e",
        "turns": [{"steps": [{"kind": "call", "text": "f()", "label": "step 1"}], "missing": [0]}],
        "verdicts": [
            {"rules": "official", "valid": False, "status": "answered", "error_type": "x", "turn": 0},
            {"rules": "verified", "valid": None, "status": "left_out"},
        ],
    }


def test_invisible_characters_are_spelled_out():
    """Control and direction characters and lone surrogates are readable; line feeds and letters stay."""
    item = as_json(Item(Kind.TEXT, "a\x1b\u202e\ud800\n\u65e5"))
    assert item == {"kind": "text", "text": "a\\x1b\\u202e\\ud800\n\u65e5"}
    json.dumps(item, ensure_ascii=False).encode("utf-8")


def test_an_answer_is_cut_after_its_bound():
    """The items of all turns share one bound; what follows is one note."""
    room = Room(TERMINAL)
    items = [Item(Kind.TEXT, "x" * 100_000)] * 10
    first, second = list(room.fitting(items)), list(room.fitting(items))
    assert len(first) == 4
    assert first[-1] == second[0] == Item(Kind.NOTE, "(cut: the rest of the answer is not shown)")
    assert len(second) == 1
