"""The rule of words for answers to memory questions."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.answer_words import tokens
from bfcl_pipeline.judge.scoring.memory_answers import MemoryQuestion

FOLDER = Path(__file__).parent
TABLES = ("memory_answers", "memory_answers_held_out")
"""Natural answers, written before the rule, not by its author, who did not look at the second table."""
DOCS = Path(__file__).parents[3] / "docs" / "rules.md"
KINDS = {
    "right": "right",
    "right_unreachable": "right, by a synonym, a number in words or another unit",
    "wrong": "wrong",
    "hedge": "hedging",
    "abstain": "abstaining",
}
LANGUAGE = "Which language did I learn? Choose from the following options: Java, C, Python, SQL, Go."


@pytest.fixture(scope="module")
def counts(entries) -> dict[str, dict[Rules, Counter[tuple[str, bool | None]]]]:
    """How many of the natural answers of each table are valid, by kind."""
    categories = ("memory_kv", "memory_vector", "memory_rec_sum")
    judges = {entry.entry_id: Judge(entry) for category in categories for entry in entries(category)}
    found = {name: {rules: Counter() for rules in Rules} for name in TABLES}
    for name, counted in found.items():
        with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                result = json.dumps([[row["message"]]])
                verdicts = judges[row["entry_id"]].answer_verdicts(result, Mode.FC, None, tuple(Rules))
                for rules, verdict in zip(Rules, verdicts, strict=True):
                    counted[rules][row["kind"], verdict.valid] += 1
    return found


def share(counts, kind):
    return counts[kind, True] / (counts[kind, True] + counts[kind, False])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rules", [Rules.CORRECTED, Rules.VERIFIED])
def test_natural_answers(counts, rules, table):
    """At least 98 % of the right answers are accepted, and at most 3 % of each other kind."""
    counted = counts[table][rules]
    assert share(counted, "right") >= 0.98
    for kind in ("wrong", "hedge", "abstain"):
        assert share(counted, kind) <= 0.03


def test_the_docs_have_the_counts(counts):
    """The tables in docs/rules.md have the number of each kind and of those that are accepted."""
    docs = DOCS.read_text(encoding="utf-8")
    for counted in counts.values():
        for kind, name in KINDS.items():
            official, corrected = (counted[rule][kind, True] for rule in (Rules.OFFICIAL, Rules.CORRECTED))
            number = official + counted[Rules.OFFICIAL][kind, False]
            assert not number or f"| {name} | {number} | {official} | {corrected} |" in docs


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$4,999.50", ["#4999.5"]),
        ("-1.8", ["#-1.8"]),
        ("1,000mg", ["#1000", "mg"]),
        ("17.5 %", ["#17.5"]),
        ("35-year-old", ["#35", "year", "old"]),
        ("seventy-seven", ["#seventy seven"]),
        ("one hundred and five", ["#one hundred five"]),
        ("7 1/2", ["#7~#1~2"]),
        ("7\N{VULGAR FRACTION ONE HALF}", ["fraction7"]),
        ("seven and a half", ["#seven half"]),
        ("7 million", ["#7 million"]),
        ("1\N{EN DASH}20", ["#1~20"]),
        ("1 to 20", ["#1~20"]),
        ("138 over 85", ["#138~85"]),
        ("3 p.m.", ["#@900"]),
        ("15:00", ["#@900"]),
        ("6:30 in the morning", ["#@390"]),
        ("7th", ["#7th"]),
        ("1.2.3", ["#1.2.3"]),
        ("A.I.", ["ai"]),
        ("can't", ["can", "not"]),
        ("pre-diabetes", ["prediabetes"]),
        ("CS2631", ["cs", "#2631"]),
        ("A1C", ["a1c"]),
    ],
)
def test_words_and_numbers(text, found):
    """A number is one token with its value."""
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("accepted", "answer", "expected"),
    [
        ("Diabetes", "Type 2 diabetes", "right"),
        ("Notebook", "A notebook", "right"),
        ("blood pressure", "High blood pressure", "right"),
        ("35", "35 years old", "right"),
        ("Security Compliance", "Security compliance training module", "right"),
        ("Surreal", "Surreal Incorporated", "right"),
        ("Legal", "Legal team", "right"),
        ("e-sports", "Esports team", "right"),
        ("Backup", "Data backups", "right"),
        ("03:00 PM", "They don't drink caffeine after 3 PM", "right"),
        ("13.5", "135", "wrong"),
        ("1.8", "-1.8", "wrong"),
        ("7", "7.5", "wrong"),
        ("7", "7-8", "wrong"),
        ("seven", "seventy-seven", "wrong"),
        ("1-20", "120", "wrong"),
        ("None", "None", "right"),
        ("Never", "Never", "right"),
        ("Nothing", "It means nothing", "right"),
        ("Nothing", "I found nothing about that", "abstained"),
        ("no sugar", "No sugar", "right"),
        ("Java", "I don't have any record of a language such as Java", "abstained"),
        ("Seattle", "Seattle. No other details are stored.", "right"),
        ("Seattle", "I'm not sure, maybe Seattle", "abstained"),
        ("Seattle", "Not Seattle but Portland", "wrong"),
        ("Seattle", "Not Portland but Seattle", "right"),
        ("Seattle", "You no longer live in Seattle", "wrong"),
        ("Seattle", "Seattle or Portland", "hedge"),
        ("Seattle", "Maybe Seattle, maybe Portland", "hedge"),
        ("Seattle", "It could be Seattle or Portland; I would say Seattle", "right"),
        ("Portland", "Portland, Oregon", "right"),
        ("7", "7, 8, or 9", "hedge"),
        ("17", "17 or so", "right"),
        ("frothing pitcher", "", "no answer form"),
    ],
)
def test_answers(accepted, answer, expected):
    """An answer is right with the accepted words, if it neither abstains, denies nor hedges."""
    assert MemoryQuestion([accepted], "What is it?", "").class_of(answer) == expected


@pytest.mark.parametrize(
    ("question", "accepted", "answer", "expected"),
    [
        (LANGUAGE, ["Python"], "Python and Java", "hedge"),
        (LANGUAGE, ["Python"], "Python, not Java", "right"),
        ("What do I not eat?", ["gluten"], "I don't eat gluten", "right"),
        ("What are my pets?", ["cat"], "A cat or a dog", "right"),
        ("What helps?", ["cat", "dog"], "A cat or a dog", "right"),
        ("List them.", ["a cat, a dog"], "A cat, and a dog", "right"),
    ],
)
def test_the_question_decides_what_a_list_is(question, accepted, answer, expected):
    """Another choice is a hedge; a list is none if several are asked for or all are accepted."""
    assert MemoryQuestion(accepted, question, "").class_of(answer) == expected


def test_a_list_in_the_words_of_the_session_is_no_hedge():
    """Neighbours in the session are no other candidates."""
    accepted, session = ["avocado"], "I have eggs or avocado in the morning."
    assert MemoryQuestion(accepted, "What is it?", session).class_of("Eggs or avocado") == "right"
    assert MemoryQuestion(accepted, "What is it?", session).class_of("Toast or avocado") == "hedge"
