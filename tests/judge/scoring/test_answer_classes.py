"""Classes of real irrelevance answers, which were read one by one.

answer_classes/irrelevance.jsonl has fifty answers of each class, drawn at random from those of nine
published models that have at most 420 characters, about as many of each; `reading` says what was read.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.irrelevance_shares import shares
from bfcl_pipeline.benchmark.records import AnswerClass, Mode, Rules
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.show.report.tables.answer_classes import IRRELEVANCE_CLASSES

READ = Path(__file__).parent / "answer_classes" / "irrelevance.jsonl"

ABSTENTIONS = (AnswerClass.ABSTAINED_IN_WORDS, AnswerClass.EMPTY)


def rows():
    return [json.loads(line) for line in READ.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("answer_class", IRRELEVANCE_CLASSES)
def test_fifty_answers_have_the_class_that_was_read(answer_class, entries):
    """Of fifty hand-read answers of each class, all have that class under both rule sets."""
    of_class = [row for row in rows() if row["class"] == answer_class]
    assert len(of_class) == 50
    known = {entry.entry_id: entry for row in of_class for entry in entries(row["category"])}
    for row in of_class:
        found = Judge(known[row["entry_id"]]).answer_verdicts(
            row["result_json"], Mode(row["mode"]), None, (Rules.OFFICIAL, Rules.CORRECTED)
        )
        assert [verdict.answer_class for verdict in found] == [row["class"]] * 2, row
        valid = [answer_class is not AnswerClass.CALLED, answer_class in ABSTENTIONS]
        assert [verdict.valid for verdict in found] == valid, row


def test_each_reading_is_said():
    """Every row of the table says what was read, and no row stands twice."""
    assert all(row["reading"] for row in rows())
    assert len({(row["entry_id"], row["mode"], row["result_json"]) for row in rows()}) == len(rows())


def test_shares(staged):
    """The shares of a run count each of its answers once, and only irrelevance answers with a result."""
    table = [row | {"run": "m"} for row in rows()]
    table.append(table[0] | {"result_json": None})
    table.append(table[0] | {"category": "simple_python"})
    counted = shares(table, staged)
    assert counted == {
        "m": Counter(dict.fromkeys(IRRELEVANCE_CLASSES, 50) | {"official": 150, "corrected": 100})
    }
