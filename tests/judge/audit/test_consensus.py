"""Entries to which most systems give the same answer, which is judged wrong."""

import json

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode
from bfcl_pipeline.judge.audit.consensus import JudgedAnswer, shared_errors
from tests.support.audited import single_turn, user

ONE, OTHER = (
    single_turn("simple_python_0", truth={"n": [1]}),
    single_turn("simple_python_1", truth={"n": [1]}),
)


def native(**arguments):
    return json.dumps([{"f": json.dumps(arguments)}])


def judged(entry, *answers, mode=Mode.FC):
    """Answers of systems 0, 1, ..., each a result and whether it is valid."""
    return [
        JudgedAnswer(str(system), entry.entry_id, mode, result, valid)
        for system, (result, valid) in enumerate(answers)
    ]


def listed(*answers, entries=(ONE, OTHER)):
    found = shared_errors({entry.entry_id: entry for entry in entries}, answers)
    return [(each.entry.entry_id, each.answer, each.given, each.systems, each.passed) for each in found]


def test_entries_that_no_system_passes_come_first():
    """Then comes the larger share of systems with the same wrong answer."""
    passed = judged(ONE, *[(native(n=2), False)] * 3, (native(n=1), True))
    never = judged(OTHER, *[(native(n=3), False)] * 2, (native(n=4), False))
    assert listed(*passed, *never) == [
        ("simple_python_1", "f(n=3)", 2, 3, 0),
        ("simple_python_0", "f(n=2)", 3, 4, 1),
    ]


def test_answers_are_compared_by_what_they_say():
    """The mode, the order of arguments, case and punctuation do not matter."""
    told = judged(ONE, (json.dumps("[f(b='New York', a=1)]"), False), mode=Mode.PROMPT)
    called = JudgedAnswer("x", ONE.entry_id, Mode.FC, native(a=1, b="new york"), valid=False)
    assert listed(*told, called) == [("simple_python_0", "f(a=1, b='New York')", 2, 2, 0)]


@pytest.mark.parametrize(
    "answers",
    [
        [(native(n=2), False)],
        [(native(n=2), False), (native(n=3), False)],
        [(native(n=2), False)] * 2 + [(native(n=1), True)] * 2,
        [(json.dumps("[f("), False)] * 3,
        [("{", False)] * 3,
    ],
    ids=["one system", "different", "as many pass", "not decoded", "not JSON"],
)
def test_no_shared_error(answers):
    """One system, different answers, as many right ones, and unreadable calls do not count."""
    assert listed(*judged(ONE, *answers)) == []


def test_the_last_answer_of_a_system_counts():
    """A system is counted once; answers to unknown entries are ignored."""
    first, second = judged(ONE, (native(n=2), False)), judged(ONE, (native(n=1), True))
    unknown = JudgedAnswer("0", "simple_python_9", Mode.FC, native(n=2), valid=False)
    assert listed(*first, *second, *judged(OTHER, *[(native(n=2), False)] * 2), unknown) == [
        ("simple_python_1", "f(n=2)", 2, 2, 0)
    ]


@pytest.mark.parametrize(
    ("category", "results", "answer"),
    [
        ("irrelevance", [native(n=1), native(n=2)], "(a call)"),
        ("live_relevance", [json.dumps("I cannot."), json.dumps("No function fits.")], "(no call)"),
        ("multi_turn_base", [json.dumps([[[{"f": "{}"}], "Done."], []])] * 2, "f() | "),
        ("memory_kv", [json.dumps([["{'answer': 'Tea', 'context': 'x'}"]])] * 2, "Tea"),
    ],
)
def test_what_an_answer_says(category, results, answer):
    """A call or none, the calls of each turn, or the answer to a question."""
    entry = Entry(f"{category}_0", category, (user("Do it."),), ONE.functions, ["x"])
    answers = judged(entry, *((result, False) for result in results))
    assert listed(*answers, entries=[entry]) == [(entry.entry_id, answer, 2, 2, 0)]
