"""What a model does on the web, told from its calls."""

from __future__ import annotations

import pytest

from bfcl_pipeline.records import Call, Entry, Mode
from bfcl_pipeline.scoring.conversation_calls import calls_by_step
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


def test_who_never_searches_did_not_fail_to_fetch() -> None:
    """An answer without a search is that and nothing else."""
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
    """Case, order, punctuation and additions do not matter; a selection of keywords is none."""
    assert pasted_question(work(search("tea"), search(query))) is pasted


def test_two_queries_that_share_the_words_are_no_paste() -> None:
    """The words must stand in one query."""
    assert not pasted_question(work(search(QUESTION[:35]), search(QUESTION[35:])))


def test_a_search_without_a_fetch_is_told() -> None:
    """One fetch is enough, whether it worked or not."""
    assert never_fetched(work(search("tea")))
    assert not never_fetched(work(search("tea"), FETCH))
    assert failures(work(search("tea"), FETCH)) == [NONE_OF_THESE]


def test_the_search_tool_may_have_another_name() -> None:
    """A run may present it as duckduckgo_search: whatever takes keywords and does not fetch, searches."""
    assert work(search("tea", "duckduckgo_search")).queries == ["tea"]
    assert work(Call("open", {"path": "tea"}), FETCH).queries == []


def test_keywords_that_are_no_text_do_not_matter() -> None:
    """A search for a list or nothing is a search."""
    assert work(search(["tea"]), search(None)).queries == ["['tea']", ""]


def test_the_question_is_what_the_user_says() -> None:
    """The system's request for a format is no part of it."""
    messages = ({"role": "system", "content": "Answer so."}, {"role": "user", "content": QUESTION})
    entry = Entry("web_search_base_0", "web_search_base", (messages,), (), source=[{}, {}])
    assert question_text(entry) == QUESTION
    assert hop_count(entry) == 2


@pytest.mark.parametrize("result", [None, "text", {}, [None, "x"], []])
def test_what_is_no_conversation_has_no_steps(result: object) -> None:
    """An answer of another form is counted as no step at all."""
    assert calls_by_step(result, Mode.FC) == ()


def test_steps_of_all_turns_are_in_order() -> None:
    """A step that says something, or cannot be read, calls nothing."""
    result = [[[{"a": "{}"}, {"b": '{"x": 1}'}], "done"], ["[c()]"]]
    assert calls_by_step(result, Mode.FC) == ((Call("a", {}), Call("b", {"x": 1})), (), ())
    assert calls_by_step([["[c()]", "done"]], Mode.PROMPT) == ((Call("c", {}),), ())
