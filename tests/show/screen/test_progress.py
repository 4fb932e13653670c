"""The progress of a job as numbers and as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bfcl_pipeline.ask.generation.chains import chain_lengths
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.base.text import duration
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.show.screen.lines import progress_text, summary_text
from bfcl_pipeline.show.screen.progress import RateWindow, job_progress
from tests.support.job_progress import NONE_YET


def counts_of(entries: int, turns: int = 1, category: str = "simple_python") -> ProgressCounts:
    """The counts of a job with so many entries of so many turns."""
    made = [Entry(f"{category}_{number}", category, ((),) * turns, ()) for number in range(entries)]
    counts = ProgressCounts()
    counts.start(made, chain_lengths(made))
    return counts


def watched(counts: ProgressCounts, *looks: tuple[float, int, int]) -> RateWindow:
    """The rates after looks at (seconds, requests done, in flight); `counts` is as at the last."""
    rates = RateWindow()
    for now, counts.requests_done, counts.requests_in_flight in looks:
        rates.sample(counts, now)
    return rates


def test_the_line_has_all_known_figures() -> None:
    """Entries and sessions are counted apart; then in flight, rate, tokens, cost and time left."""
    job = replace(
        NONE_YET,
        name="gpt-x-FC",
        entries_done=1204,
        entries_total=5106,
        sessions_done=12,
        sessions_total=49,
        requests_in_flight=32,
        requests_per_second=21.4,
        tokens=1_200_000,
        dollars=3.1,
        seconds_left=182.0,
    )
    assert progress_text(job) == (
        "gpt-x-FC: 1,204/5,106 entries + 12/49 sessions, 32 in flight, 21.4 requests/s, 1.2M tokens, "
        "$3.10, about 3 min left"
    )


def test_what_is_not_known_is_left_out() -> None:
    """A new job of a model without prices has neither rate nor tokens, cost or time left."""
    assert progress_text(NONE_YET) == "m: 0/2 entries"


def test_it_reports_when_and_why_it_waits() -> None:
    """A pause is shown with its seconds and its reason until it is over."""
    counts = counts_of(2)
    counts.pause(112.0, "rate limit")
    job = job_progress("m", counts, RateWindow(), 0.0, 100.0)
    assert progress_text(job) == "m: 0/2 entries, waits 12 s: rate limit"
    assert "waits" not in progress_text(job_progress("m", counts, RateWindow(), 0.0, 112.0))


def test_what_went_wrong_is_counted() -> None:
    """Answers out of the journal, retries and failed entries are shown."""
    job = replace(NONE_YET, replayed=1000, retries=1, entries_done=2, entries_failed=2)
    assert progress_text(job) == "m: 0/2 entries, 1,000 from the journal, 1 retry, 2 failed"


def test_the_rate_is_that_of_the_recent_past() -> None:
    """Requests of more than half a minute ago do not count."""
    counts = ProgressCounts()
    rates = watched(counts, (0.0, 0, 1), (100.0, 10_000, 1), (120.0, 10_010, 1), (140.0, 10_020, 1))
    assert rates.requests_per_second == pytest.approx(0.5)


def test_answers_from_the_journal_do_not_count_as_speed() -> None:
    """The rate is measured anew after each of them."""
    counts = counts_of(100)
    rates = watched(counts, (0.0, 0, 1))
    counts.replayed = 50
    rates.sample(counts, 5.0)
    assert rates.requests_per_second is None
    counts.requests_done = 20
    rates.sample(counts, 15.0)
    assert rates.requests_per_second == 2.0


def test_many_short_entries_take_the_requests_left_at_the_current_rate() -> None:
    """100 entries of one request at 4 requests/s take 25 s."""
    counts = counts_of(100)
    assert watched(counts, (0.0, 0, 8), (10.0, 40, 8)).seconds_left(counts) == 25.0


def test_one_long_conversation_takes_its_requests_one_after_the_other() -> None:
    """8 in flight at 8 requests/s take 1 s each: 20 requests of one conversation take 20 s, not 2.5."""
    counts = counts_of(1, turns=10, category="multi_turn_base")
    assert watched(counts, (0.0, 0, 8), (10.0, 80, 8)).seconds_left(counts) == 20.0


def test_searches_left_bound_the_time_of_an_embedded_model() -> None:
    """99 entries at 0.1/s take 990 s, but not less than the searches left at the polite rate."""
    counts = counts_of(100)
    rates = RateWindow()
    rates.sample(counts, 0.0)
    counts.entries_done = 1
    rates.sample(counts, 10.0)
    assert rates.seconds_left(counts) == 990.0
    counts.web.start([Entry("web_search_base_0", "web_search_base", ((),), (), source=[{}] * 3)], 600.0)
    assert rates.seconds_left(counts) == 1_800.0


def test_nothing_is_left_of_a_complete_job() -> None:
    """A job without requests left has no time left."""
    counts = counts_of(0)
    assert watched(counts, (0.0, 0, 1), (10.0, 40, 1)).seconds_left(counts) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (254, "4 min"),
        (3599, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_for_a_person(seconds: float, text: str) -> None:
    """Seconds, minutes or hours, never 60 of the smaller."""
    assert duration(seconds) == text


def test_the_last_line_sums_up() -> None:
    """Entries, sessions, seconds, requests and tokens of a complete job."""
    job = replace(
        NONE_YET, entries_done=2, sessions_done=1, sessions_total=1, requests_done=7, tokens=950, seconds=61
    )
    assert summary_text(job) == "2 entries + 1 session in 1 min, 7 requests, 950 tokens"


def test_the_last_line_of_an_interrupted_job_says_what_is_saved() -> None:
    """No entry is complete, but every answer of this job is saved."""
    job = replace(NONE_YET, entries_total=1500, requests_done=700, replayed=15, seconds=2)
    assert summary_text(job) == (
        "stopped after 2 s, 0/1,500 entries complete; 700 answers are saved, beside 15 that the journal had"
    )


def test_the_share_is_that_of_the_requests() -> None:
    """While no entry is complete, the bar moves; an embedded model sends none, so its entries count."""
    assert replace(NONE_YET, requests_done=1, requests_left=3).share == 0.25
    assert replace(NONE_YET, entries_done=1).share == 0.5
    assert replace(NONE_YET, entries_total=0).share == 1.0
