"""The progress counts of a job."""

from __future__ import annotations

from bfcl_pipeline.ask.generation.chains import chain_lengths
from bfcl_pipeline.ask.generation.counts import LONGEST_ERROR, ProgressCounts
from bfcl_pipeline.base.errors import NoConnection, RateLimited, Transient
from bfcl_pipeline.benchmark.records import Entry, Exchange, Mode, Request, Status

REQUEST = Request(Mode.FC, ())


def test_reported_tokens_and_prices_add_up() -> None:
    """An answer without tokens counts as an answer; without prices there are no dollars."""
    tally = ProgressCounts()
    tally.answered(Exchange(REQUEST, "a", input_tokens=10, output_tokens=2), None)
    assert tally.dollars is None
    tally.answered(Exchange(REQUEST, "b"), 0.5)
    tally.answered(Exchange(REQUEST, "c", input_tokens=1, output_tokens=1), 0.25)
    assert (tally.requests_done, tally.input_tokens, tally.output_tokens) == (3, 11, 3)
    assert tally.dollars == 0.75


def test_entries_without_an_answer_are_done_and_failed() -> None:
    """An entry with a response of any status is done; memory sessions are counted apart."""
    entries = [
        Entry("memory_kv_prereq_0", "memory_kv", ((),), (), prerequisite=True),
        Entry("simple_python_0", "simple_python", ((),), ()),
        Entry("simple_python_1", "simple_python", ((),), ()),
    ]
    tally = ProgressCounts()
    tally.start(entries, chain_lengths(entries))
    assert (tally.sessions_total, tally.entries_total) == (1, 2)
    tally.ended(entries[0], Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    assert (tally.sessions_done, tally.entries_done, tally.entries_failed) == (1, 0, 0)
    tally.ended(entries[1], Status.ANSWERED, None)
    tally.ended(entries[2], Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    assert (tally.entries_done, tally.entries_failed) == (2, 1)
    assert tally.failures == {"infrastructure_error": 2}  # the session too
    assert tally.last_error == "HTTP 503"


def test_failed_attempts_are_counted_by_kind() -> None:
    """By the first kind that fits; of an error of megabytes the beginning is kept."""
    tally = ProgressCounts()
    for error in (RateLimited("busy"), NoConnection("refused"), Transient("500"), Transient("x" * 10**6)):
        tally.attempt_failed(error)
    assert tally.errors == {"rate limit": 1, "no connection": 1, "failed request": 2}
    assert tally.last_error == "x" * LONGEST_ERROR


def test_the_later_end_of_two_pauses_counts() -> None:
    """A second pause that ends earlier changes nothing."""
    tally = ProgressCounts()
    tally.pause(20.0, "rate limit")
    tally.pause(10.0, "too busy")
    assert (tally.paused_until, tally.pause_reason) == (20.0, "rate limit")
