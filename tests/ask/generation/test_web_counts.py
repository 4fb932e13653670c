"""The searches of a job's web questions."""

from __future__ import annotations

from bfcl_pipeline.ask.generation.web_counts import ENOUGH, WebCounts
from bfcl_pipeline.benchmark.records import Entry


def questions(number: int, hops: int) -> list[Entry]:
    """Web questions."""
    return [
        Entry(f"web_search_base_{one}", "web_search_base", ((),), (), source=[{}] * hops)
        for one in range(number)
    ]


def test_searches_left_follow_the_hops_and_then_the_answered_questions() -> None:
    """At first one search for each hop is expected; after some answers, as many as these took."""
    counts = WebCounts()
    counts.start(questions(10, 3), 6.0)
    assert (counts.left, counts.seconds_left) == (30, 180.0)
    for number in range(ENOUGH):
        for _ in range(6):
            counts.searched(f"web_search_base_{number}")
        counts.ended(f"web_search_base_{number}", answered=True)
    assert (counts.searches, counts.left) == (6 * ENOUGH, 6 * (10 - ENOUGH))


def test_searches_of_an_open_question_are_not_left() -> None:
    """What was made is subtracted, but never more than was expected; repeated calls change no other
    question."""
    counts = WebCounts()
    counts.start(questions(2, 2), 0.0)
    for _ in range(5):
        counts.searched("web_search_base_0")
    counts.fetched()
    assert (counts.searches, counts.pages, counts.left) == (5, 1, 2)


def test_questions_without_an_answer_are_left_for_later() -> None:
    """They are not part of this job any more; entries of other categories count nowhere."""
    counts = WebCounts()
    counts.start(questions(4, 2), 0.0)
    for _ in range(2):
        counts.searched("web_search_base_0")
    counts.ended("web_search_base_0", answered=False)  # at least one search is missing
    counts.ended("web_search_base_1", answered=False)
    counts.ended("simple_python_0", answered=False)
    assert (counts.unanswered, counts.left_for_later, counts.left) == (2, 3, 4)
