"""The `answer` field in the forms in which models and people write it."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules
from bfcl_pipeline.judge.scoring import judge
from bfcl_pipeline.judge.scoring.agentic import answer_field
from bfcl_pipeline.judge.scoring.memory_answers import MemoryQuestion

DOCS = Path(__file__).parents[3] / "docs" / "rules.md"
ROW = re.compile(r"\| (.+) \| (`+)[ ]?(.+?)[ ]?\2 \| (?:`(.+)`|\((none|empty)\)) \| (.+) \| (.+) \|")

FORMS = [
    match.groups()
    for line in DOCS.read_text(encoding="utf-8").partition("### The `answer` field")[2].splitlines()
    if (match := ROW.fullmatch(line))
]


@pytest.mark.parametrize(
    ("message", "field", "special", "memory", "web"),
    [(row[2].replace("\\n", "\n"), *row[3:]) for row in FORMS],
    ids=[row[0] for row in FORMS],
)
def test_the_forms_of_the_docs(message, field, special, memory, web):
    """The field of each form in docs/rules.md, and the class of the answer, are as the table says."""
    assert answer_field(message) == {"none": None, "empty": "", None: field}[special]
    for category, expected in (("memory_kv", memory), ("web_search_base", web)):
        asked = ({"role": "user", "content": "How many?"},)
        entry = Entry(f"{category}_0", category, (asked,), (), truth=["70"])
        response = Response(entry.entry_id, category, Mode.FC, json.dumps([[message]]))
        found = judge(entry, response, Rules.CORRECTED)
        assert (found.answer_class, found.valid) == (expected, expected == "right")


def test_the_docs_have_the_forms():
    """The table is found."""
    assert len(FORMS) > 25


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("{'answer': \"it's\"}", "it's"),
        ("{'answer': 'The O'Briens', 'context': 'it's told'}", "The O'Briens"),
        ("{'answer': 'Rock 'n' Roll' }", "Rock 'n' Roll"),
        ('{"answer": "5" tall", "context": "x"}', '5" tall'),
        ("{'answer': 'Paris', 'context': 'it's the", "Paris"),
        ("{'answer': 'Paris' it's", "Paris"),
        ('```json\n{"answer": "a {b}"}\n```', "a {b}"),
        ("{'answer': 'a', 'answer': 'b'}", "b"),
        ("{answer: a}", "a"),
        ("{'answer': ", ""),
        ("{" * 100_000, None),
        ("{'answer': __import__('os')}", "__import__('os')"),
        ("{answer: $4,999.50, context: c}", "$4,999.50"),
        ("{answer: 03:00 PM, context: c}", "03:00 PM"),
        ("{answer: [a, 'b'], context: c}", "a; b"),
        ("{answer: 7, context: {answer: 8}}", "7"),
        ('{"answer": 1.50}', "1.50"),
        ('I set {x}. {"answer": "7"', "7"),
        ('{"answer": "x, answer: y", "context": "z" oops}', "x, answer: y"),
    ],
)
def test_the_answer_field(message, answer):
    """The field is read as data, never evaluated, and found in damaged text."""
    assert answer_field(message) == answer


PIECES = (
    *(
        "{",
        "{}",
        "{answer:",
        '{answer: "',
        "answer: ",
        "'answer': ''",
        '{"answer": "a", ',
        "},{",
        "<think>",
        "\\",
        '"',
    ),
    *(
        " ",
        "\n",
        "9",
        "7-",
        "1,111,",
        "7 and ",
        "seven ",
        "\N{VULGAR FRACTION ONE HALF}",
        "a\N{COMBINING ACUTE ACCENT}",
    ),
    *(
        "Seattle, ",
        "Seattle or ",
        "maybe x, ",
        "not ",
        "i not ",
        "no ",
        "nothing ",
        "neither ",
        "a.",
        "non-",
        "12:30 ",
    ),
)


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_takes_linear_time(piece):
    """Four times the text takes about four times as long to read and to judge, not sixteen times."""
    question = MemoryQuestion(["Seattle", "7"], "Where? Pick from: a, b, Seattle.", "")

    def taken(length: int) -> float:
        text = (piece * length)[:length]
        best = sys.float_info.max
        for _ in range(2):
            start = time.process_time()
            answer_field(text)
            question.class_of(text)
            best = min(best, time.process_time() - start)
        return best

    assert taken(8_000) < 10 * taken(2_000) + 0.05
