"""The estimate of the requests that a job still has to send."""

from __future__ import annotations

from bfcl_pipeline.ask.generation.chains import chain_lengths
from bfcl_pipeline.ask.generation.counts import RequestsLeft
from bfcl_pipeline.benchmark.records import Entry


def left_of(*entries: Entry) -> RequestsLeft:
    left = RequestsLeft()
    left.add(entries, chain_lengths(entries))
    return left


def multi_turn(number: int, turns: int) -> Entry:
    return Entry(f"multi_turn_base_{number}", "multi_turn_base", ((),) * turns, ())


def test_a_conversation_becomes_shorter_turn_by_turn() -> None:
    """Two requests are expected of each of four turns; one that takes more keeps the later turns."""
    entry = multi_turn(0, 4)
    left = left_of(entry)
    assert (left.total, left.longest) == (8, 8)
    left.answered(entry, 0)
    assert left.total == 7
    for _ in range(5):
        left.answered(entry, 0)
    assert left.total == 6
    left.answered(entry, 3)
    assert left.total == 1
    left.completed(entry)
    assert (left.total, left.longest) == (0, 0)


def test_requests_of_complete_entries_correct_the_expectation() -> None:
    """Entries that took half as many requests as expected halve what is expected of the others."""
    first, second = multi_turn(0, 10), multi_turn(1, 10)
    left = left_of(first, second)
    for turn in range(10):
        left.answered(first, turn)
    left.completed(first)
    assert left.total == 10


def test_an_entry_that_failed_at_once_corrects_nothing() -> None:
    """It says nothing about the length of the others."""
    first, second = multi_turn(0, 10), multi_turn(1, 10)
    left = left_of(first, second)
    left.completed(first)
    assert left.total == 20


def test_the_longest_chain_includes_what_waits_for_a_session() -> None:
    """A session of one turn and a question of one turn follow each other: 2 + 2 requests."""
    turns = ((),)
    session = Entry("memory_kv_prereq_0", "memory_kv", turns, (), prerequisite=True)
    question = Entry("memory_kv_0", "memory_kv", turns, (), depends_on=(session.entry_id,))
    left = left_of(session, question)
    assert (left.total, left.longest) == (4, 4)
    left.answered(session, 0)
    assert left.longest == 3
    left.completed(session)
    assert left.longest == 2
