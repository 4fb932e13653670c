"""A model's use of the web: kinds of failure, and what follows failed fetches."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest

from bfcl_pipeline.benchmark.records import Call, Entry, Mode
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.judge.scoring.web_results import Place, question_text
from bfcl_pipeline.judge.scoring.web_use import (
    FAILURES,
    NONE_OF_THESE,
    RESULT_FAILURES,
    Next,
    WebCall,
    WebWork,
    failures,
    hop_count,
    subquestions,
)

QUESTION = "Tea is nice. In April 2025, who is the richest billionaire from the country of tea?"
UNKNOWN = json.dumps({"answer": "I do not know", "context": "I do not know"})
WRONG = json.dumps({"answer": "Bob", "context": "He is rich."})


def search(query: str, step: int = 0, failed: bool | None = False) -> WebCall:
    return WebCall(step, True, query, failed)


def fetch(url: str = "https://a.example", step: int = 1, failed: bool | None = False) -> WebCall:
    return WebCall(step, False, url, failed)


def work(*calls: WebCall, message: str | None = WRONG, places: Collection[Place] = ()) -> WebWork:
    return WebWork(QUESTION, (), len(calls) + 1, calls, message, frozenset(places))


CASES = [
    (work(), ["no_search"]),
    (work(fetch()), ["no_search"]),
    (work(search("tea")), ["never_fetched"]),
    (work(search("tea"), fetch()), [NONE_OF_THESE]),
    (work(search(QUESTION[13:]), fetch()), ["pasted_question"]),
    (work(search("tea"), search("TEA", 1), fetch()), ["repeated_search"]),
    (work(search("tea"), fetch(), message="It has not happened yet."), ["future_event"]),
    (work(search("tea"), fetch(), message=UNKNOWN), ["abstained"]),
    (work(search("tea"), fetch(), places={Place.PAGE}), ["misread_page"]),
    (work(search("tea"), fetch(), places={Place.ADDRESS}), ["misread_result"]),
    (work(search("t"), fetch(failed=True), fetch("https://b", 2)), ["failed_fetch_other_source"]),
    (work(search("t"), fetch(failed=True), message=UNKNOWN), ["abstained", "gave_up"]),
    (work(search("t"), fetch(failed=True), message=None), ["gave_up"]),
]
"""Conversations with one property each, and their kinds of failure."""


@pytest.mark.parametrize(("done", "expected"), CASES)
def test_each_kind_of_failure(done: WebWork, expected: list[str]) -> None:
    """A conversation with one property has the kind of that property, and no other."""
    assert failures(done) == expected


def test_every_kind_is_tried() -> None:
    """No kind is without a conversation above; those that need results are among the others."""
    assert {kind for _, expected in CASES for kind in expected} == {*FAILURES, NONE_OF_THESE}
    assert set(RESULT_FAILURES) < set(FAILURES)


def test_kinds_that_need_results_are_not_counted_without_them() -> None:
    """With one result that is not recorded, the places are not known to be complete."""
    done = work(search("tea"), fetch(failed=None), places={Place.TITLE})
    assert not done.known
    assert failures(done) == []
    assert work().known


@pytest.mark.parametrize(
    ("later", "message", "expected"),
    [
        ([fetch(step=2)], WRONG, Next.RETRIED),
        ([fetch("https://b.example", 2), fetch(step=2)], WRONG, Next.RETRIED),
        ([fetch("https://b.example", 2)], WRONG, Next.OTHER_SOURCE),
        ([search("b", 2), fetch("https://b.example", 2)], WRONG, Next.OTHER_SOURCE),
        ([search("b", 2), fetch(step=3)], WRONG, Next.SEARCHED),
        ([], WRONG, Next.ANSWERED),
        ([], UNKNOWN, Next.GAVE_UP),
        ([], None, Next.GAVE_UP),
    ],
)
def test_what_follows_a_failed_fetch(later: list[WebCall], message: str | None, expected: Next) -> None:
    """The next step with web calls decides, and without one the final message."""
    done = work(search("a"), fetch("https://fine.example"), fetch(failed=True), *later, message=message)
    assert list(done.after_failures()) == [expected]


def test_many_failed_fetches_take_linear_time() -> None:
    """A hundred thousand fetches of one step, and a search after them, are classified at once."""
    fetches = [fetch(f"https://a.example/{number}", failed=True) for number in range(100_000)]
    assert set(work(*fetches, search("tea", 2)).after_failures()) == {Next.SEARCHED}


def test_repeated_searches_are_counted_once_each() -> None:
    """Three equal queries repeat twice; an empty query repeats nothing."""
    done = work(search("tea"), search("tea"), search("Tea"), search(""), search(""))
    assert done.repeated_searches == 2


def test_the_question_is_the_message_of_the_user() -> None:
    """The system's request for a format is not part of the question."""
    messages = ({"role": "system", "content": "Answer so."}, {"role": "user", "content": QUESTION})
    source = [{"subquestion": "Country of tea"}, {}]
    entry = Entry("web_search_base_0", "web_search_base", (messages,), (), source=source)
    assert question_text(entry) == QUESTION
    assert hop_count(entry) == 2
    assert subquestions(entry) == ("Country of tea",)
    assert subquestions(Entry("web_search_base_0", "web_search_base", (messages,), ())) == ()


@pytest.mark.parametrize("result", [None, "text", {}, [None, "x"], []])
def test_a_result_that_is_not_a_conversation_has_no_steps(result: object) -> None:
    """A result of another form has no steps."""
    assert calls_by_step(result, Mode.FC) == ()


def test_steps_of_all_turns_are_in_order() -> None:
    """A step of text, or one that cannot be decoded, has no calls."""
    result = [[[{"a": "{}"}, {"b": '{"x": 1}'}], "done"], ["[c()]"]]
    assert calls_by_step(result, Mode.FC) == ((Call("a", {}), Call("b", {"x": 1})), (), ())
    assert calls_by_step([["[c()]", "done"]], Mode.PROMPT) == ((Call("c", {}),), ())
