"""A model's use of the web, derived from its calls."""

from __future__ import annotations

import pytest

from bfcl_pipeline.calls import calls_by_step
from bfcl_pipeline.records import Call, Entry, Mode
from bfcl_pipeline.scoring.web_use import (
    NONE_OF_THESE,
    WebWork,
    failures,
    hop_count,
    never_fetched,
    no_search,
    pasted_question,
    question_text,
)

QUESTION = "In April 2025, who is the richest billionaire from the country of tea?"
FETCH = Call("fetch_url_content", {"url": "https://a.example"})


def search(keywords: object, name: str = "search_engine_query") -> Call:
    return Call(name, {"keywords": keywords})


def work(*calls: Call) -> WebWork:
    return WebWork(QUESTION, (*((call,) for call in calls), ()))


def test_an_answer_without_a_search_has_one_failure() -> None:
    """An answer without a search is not also counted as one without a fetch."""
    assert no_search(work())
    assert not never_fetched(work())
    assert failures(work()) == ["no_search"]


@pytest.mark.parametrize(
    ("query", "pasted"),
    [
        (QUESTION, True),
        (QUESTION.upper() + " site:example.org", True),
        ("April 2025 who is the richest billionaire from country of tea", True),
        ("richest billionaire country of tea April 2025", False),
        ("", False),
    ],
)
def test_a_query_of_nearly_all_words_is_the_question(query: str, pasted: bool) -> None:
    """Case, order, punctuation and additions do not matter; a selection of keywords does not count."""
    assert pasted_question(work(search("tea"), search(query))) is pasted


def test_two_queries_that_share_the_words_are_not_a_paste() -> None:
    """The words must all be in one query."""
    assert not pasted_question(work(search(QUESTION[:35]), search(QUESTION[35:])))


def test_a_search_without_a_fetch_is_counted() -> None:
    """One fetch is enough, even if it failed."""
    assert never_fetched(work(search("tea")))
    assert not never_fetched(work(search("tea"), FETCH))
    assert failures(work(search("tea"), FETCH)) == [NONE_OF_THESE]


def test_the_search_tool_may_have_another_name() -> None:
    """Under any name, a call with keywords that does not fetch is a search."""
    assert work(search("tea", "duckduckgo_search")).queries == ["tea"]
    assert work(Call("open", {"path": "tea"}), FETCH).queries == []


def test_keywords_that_are_not_text_count_as_a_search() -> None:
    """A search with a list or null as keywords is counted as a search."""
    assert work(search(["tea"]), search(None)).queries == ["['tea']", ""]


def test_the_question_is_the_message_of_the_user() -> None:
    """The system's request for a format is not part of the question."""
    messages = ({"role": "system", "content": "Answer so."}, {"role": "user", "content": QUESTION})
    entry = Entry("web_search_base_0", "web_search_base", (messages,), (), source=[{}, {}])
    assert question_text(entry) == QUESTION
    assert hop_count(entry) == 2


@pytest.mark.parametrize("result", [None, "text", {}, [None, "x"], []])
def test_a_result_that_is_not_a_conversation_has_no_steps(result: object) -> None:
    """A result of another form has no steps."""
    assert calls_by_step(result, Mode.FC) == ()


def test_steps_of_all_turns_are_in_order() -> None:
    """A step of text, or one that cannot be decoded, has no calls."""
    result = [[[{"a": "{}"}, {"b": '{"x": 1}'}], "done"], ["[c()]"]]
    assert calls_by_step(result, Mode.FC) == ((Call("a", {}), Call("b", {"x": 1})), (), ())
    assert calls_by_step([["[c()]", "done"]], Mode.PROMPT) == ((Call("c", {}),), ())
