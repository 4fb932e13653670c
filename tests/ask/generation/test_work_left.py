"""The estimate of the work that a job still has to do: requests, and searches of web questions."""

from __future__ import annotations

from bfcl_pipeline.ask.generation.chains import WorkLeft, chain_lengths
from bfcl_pipeline.ask.generation.counts import ProgressCounts, WebCounts
from bfcl_pipeline.benchmark.records import Entry


def left_of(*entries: Entry) -> WorkLeft:
    counts = ProgressCounts()
    counts.start(entries, chain_lengths(entries))
    return counts.left


def multi_turn(number: int, turns: int) -> Entry:
    return Entry(f"multi_turn_base_{number}", "multi_turn_base", ((),) * turns, ())


def test_a_conversation_becomes_shorter_with_each_request() -> None:
    """Two requests are expected of each of four turns; one that takes more is as good as complete."""
    entry = multi_turn(0, 4)
    left = left_of(entry)
    assert (left.total, left.longest) == (8, 8)
    left.did(entry.entry_id)
    assert (left.total, left.longest) == (7, 7)
    for _ in range(9):
        left.did(entry.entry_id)
    assert (left.total, left.longest) == (0, 0)
    left.ended(entry.entry_id, complete=True)
    assert (left.total, left.longest) == (0, 0)


def test_requests_of_complete_entries_correct_the_expectation() -> None:
    """Entries that took half as many requests as expected halve what is expected of the others."""
    first, second = multi_turn(0, 10), multi_turn(1, 10)
    left = left_of(first, second)
    for _ in range(10):
        left.did(first.entry_id)
    left.ended(first.entry_id, complete=True)
    assert left.total == 10


def test_an_entry_that_failed_corrects_nothing() -> None:
    """It says nothing about the length of the others."""
    first, second = multi_turn(0, 10), multi_turn(1, 10)
    left = left_of(first, second)
    left.ended(first.entry_id, complete=False)
    assert left.total == 20


def test_the_longest_chain_includes_what_waits_for_a_session() -> None:
    """A session of one turn and a question of one turn follow each other: 2 + 2 requests."""
    turns = ((),)
    session = Entry("memory_kv_prereq_0", "memory_kv", turns, (), prerequisite=True)
    question = Entry("memory_kv_0", "memory_kv", turns, (), depends_on=(session.entry_id,))
    left = left_of(session, question)
    assert (left.total, left.longest) == (4, 4)
    left.did(session.entry_id)
    assert left.longest == 3
    left.ended(session.entry_id, complete=True)
    assert left.longest == 2


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
    assert (counts.questions.total, counts.seconds_left) == (30, 180.0)
    for number in range(3):
        for _ in range(6):
            counts.searched(f"web_search_base_{number}")
        counts.questions.ended(f"web_search_base_{number}", complete=True)
    assert (counts.searches, counts.questions.total) == (6 * 3, 6 * (10 - 3))


def test_searches_of_an_open_question_are_not_left() -> None:
    """What was made is subtracted, but never more than was expected; repeated calls change no other
    question."""
    counts = WebCounts()
    counts.start(questions(2, 2), 0.0)
    for _ in range(5):
        counts.searched("web_search_base_0")
    counts.fetched()
    assert (counts.searches, counts.pages, counts.questions.total) == (5, 1, 2)


def test_questions_without_an_answer_are_left_for_later() -> None:
    """They are not part of this job any more; entries of other categories count nowhere."""
    counts = WebCounts()
    counts.start(questions(4, 2), 0.0)
    for _ in range(2):
        counts.searched("web_search_base_0")
    counts.questions.ended("web_search_base_0", complete=False)  # at least one search is missing
    counts.questions.ended("web_search_base_1", complete=False)
    counts.questions.ended("simple_python_0", complete=False)
    assert (counts.questions.failed, counts.questions.for_later, counts.questions.total) == (2, 3, 4)
