"""Rules on the words of web questions, queries and final messages; the examples are those of the post."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring.web_results import (
    LONGEST,
    asked_text,
    awaits_event,
    count_repeated,
    is_pasted,
    question_text,
    words,
)
from bfcl_pipeline.judge.scoring.web_use import subquestions


@pytest.fixture(scope="module")
def questions(staged: Path) -> dict[str, Entry]:
    """The 100 questions of the release by id."""
    return {entry.entry_id: entry for entry in read_entries(entries_path(staged, "web_search_base"))}


def pasted(entry: Entry, query: str) -> bool:
    return is_pasted(query, question_text(entry), subquestions(entry))


@pytest.mark.parametrize(
    ("number", "query", "found"),
    [
        (4, "author birth state of 2024 Goodreads Choice Award Fiction winner", True),
        (5, "tallest building in Bangkok number of floors", False),
        (2, "2024 Nobel Prize in Literature winner", False),
        (1, "2024 Super Bowl halftime show performer birthplace", False),
        (1, "Usher birthplace", False),
    ],
)
def test_queries_of_the_post(questions: dict[str, Entry], number: int, query: str, found: bool) -> None:
    """The query that the post calls poor is found; those that it shows for other reasons are not."""
    assert pasted(questions[f"web_search_base_{number}"], query) is found


def test_a_question_as_a_query_is_found_in_every_form(questions: dict[str, Entry]) -> None:
    """As it stands, without its sentence on the scene, in capitals, or as its words without small ones."""
    small = {"the", "of", "in", "a", "is", "what", "who", "how", "many", "that", "which", "did"}
    for entry in questions.values():
        question = question_text(entry)
        asked = asked_text(question)
        keywords = " ".join(word for word in words(asked) if word not in small)
        forms = (question, asked, asked.upper(), keywords)
        assert [pasted(entry, form) for form in forms] == [True] * 4, entry.entry_id


def test_one_hop_as_a_query_is_not_a_paste(questions: dict[str, Entry]) -> None:
    """None of the 314 sub-questions is flagged, neither alone nor with its answer."""
    hops = [
        (entry, f"{hop['subquestion']}{answer}")
        for entry in questions.values()
        for hop in entry.source
        for answer in ("", f" {hop['answer']}")
    ]
    assert len(hops) == 2 * 314
    assert [(entry.entry_id, query) for entry, query in hops if pasted(entry, query)] == []


def test_the_question_is_without_scene_and_format(questions: dict[str, Entry]) -> None:
    """Every question loses the sentence that sets its scene, and the request for a form of the answer."""
    for entry in questions.values():
        asked = asked_text(question_text(entry))
        assert 0 < len(asked) < len(question_text(entry))
        assert "Format your answer" not in asked
    assert asked_text("No question. Tell me the height, e.g. in feet. Format it so.") != ""
    assert asked_text("Only this") == "Only this"


@pytest.mark.parametrize("hops", [(), ("Which country has tea?", "Who is its richest billionaire?")])
@pytest.mark.parametrize("query", ["", "of the", "richest billionaire 2025"])
def test_a_selection_of_words_is_not_a_paste(query: str, hops: tuple[str, ...]) -> None:
    """Nothing, or the words of one hop, are not the question, with or without annotated hops."""
    assert not is_pasted(query, "Tea is nice. Who is the richest billionaire of the country of tea?", hops)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("bangkok TALLEST building floors", True),
        ("floors of the tallest building in Bangkok", False),
        ("tallest building Oslo", False),
        ("", False),
    ],
)
def test_a_query_of_nearly_the_same_words_repeats(query: str, found: bool) -> None:
    """Order and case do not matter; another name or many more words make another query."""
    other = "tallest building floors Bangkok"
    assert count_repeated([query, "tea", other]) == count_repeated([other, query]) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("as their season ended in January 2024, and the 2024 season had not yet started.", True),
        ("If it refers to the 2024 season, no games have been played yet.", True),
        ("As of my last update the winner hasn’t been announced.", True),
        ("This concerns a future event.", True),
        ("{'answer': 7, 'context': 'The Cowboys won 7 games in 2024.'}", False),
        ("He had notable success and started in 2019; the season ended in 2024.", False),
        ("The song was not released as a single, so the answer is 1998.", False),
        ("The medal was not awarded to her but to Lee; this could change in the future.", False),
        ("The tournament lies in the future, and the winner isn't known yet.", True),
        ("", False),
        ("x " * LONGEST + "not yet", False),
    ],
)
def test_a_message_on_a_future_event(message: str, found: bool) -> None:
    """The two messages of the post are found; words that only look alike, or beyond the bound, are not."""
    assert awaits_event(message) is found


def test_annotated_answers_do_not_read_as_future_events(questions: dict[str, Entry]) -> None:
    """No right answer of the release, told with its chain, is taken for one about a future event."""
    for entry in questions.values():
        chain = " ".join(f"{hop['subquestion']} {hop['answer']}." for hop in entry.source)
        assert not awaits_event(f"{{'answer': '{entry.truth[0]}', 'context': '{chain}'}}")
