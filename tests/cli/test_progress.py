"""The progress line of a job."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable

import pytest

from bfcl_pipeline.cli.progress import ProgressLine, RateWindow, closing_text, duration, progress_text
from bfcl_pipeline.generation.counts import ProgressCounts


def watched(tally: ProgressCounts, *looks: tuple[float, int, int]) -> RateWindow:
    """The pace after looks at (seconds, requests done, entries done); `tally` is as at the last."""
    pace = RateWindow()
    for now, tally.requests_done, tally.entries_done in looks:
        pace.sample(tally, now)
    return pace


def test_the_line_has_all_known_figures() -> None:
    """Done of total, in flight, rate, tokens, cost and time left, in this order."""
    tally = ProgressCounts(
        entries_total=5106, requests_in_flight=32, input_tokens=1_150_000, output_tokens=50_000
    )
    tally.dollars = 3.1
    pace = watched(tally, (0.0, 1000, 1009), (10.0, 1214, 1204))
    line = progress_text("gpt-x-FC", tally, pace, 10.0)
    assert line == (
        "gpt-x-FC: 1,204/5,106 entries, 32 in flight, 21.4 requests/s, 1.2M tokens, $3.10, 3 min left"
    )


def test_what_is_not_known_is_left_out() -> None:
    """A new job of a model without prices has neither rate nor tokens, cost or time left."""
    tally = ProgressCounts(entries_total=1, requests_in_flight=1)
    assert progress_text("m", tally, watched(tally, (0.0, 0, 0)), 0.0) == "m: 0/1 entry, 1 in flight"


def test_it_reports_when_and_why_it_waits() -> None:
    """A pause shows its seconds and reason until it is over."""
    tally = ProgressCounts(entries_total=2)
    tally.pause(112.0, "rate limit")
    assert (
        progress_text("m", tally, RateWindow(), 100.0)
        == "m: 0/2 entries, waits 12 s: rate limit, 0 in flight"
    )
    assert "waits" not in progress_text("m", tally, RateWindow(), 112.0)


def test_what_went_wrong_is_counted() -> None:
    """Answers out of the journal, retries and failed entries stand at the end."""
    tally = ProgressCounts(entries_total=9, replayed=1000, retries=1, entries_failed=2)
    line = progress_text("m", tally, RateWindow(), 0.0)
    assert line.endswith("0 in flight, 1,000 from the journal, 1 retry, 2 failed")


def test_the_rate_is_that_of_late() -> None:
    """What came more than half a minute ago says nothing of now."""
    tally = ProgressCounts()
    pace = watched(tally, (0.0, 0, 0), (100.0, 10_000, 0), (120.0, 10_010, 0), (140.0, 10_020, 0))
    assert pace.requests_per_second == pytest.approx(0.5)


def test_answers_from_the_journal_do_not_count_as_speed() -> None:
    """With each of them the watch starts anew."""
    tally = ProgressCounts(entries_total=100)
    pace = watched(tally, (0.0, 0, 0))
    tally.replayed = 50
    pace.sample(tally, 5.0)
    assert pace.requests_per_second is None
    tally.requests_done, tally.entries_done = 20, 60
    pace.sample(tally, 15.0)
    assert pace.requests_per_second == 2.0


def test_time_left_goes_by_requests_where_they_are_estimated() -> None:
    """Else by entries; nothing is left of a job that is done."""
    tally = ProgressCounts(entries_total=30)
    pace = watched(tally, (0.0, 0, 0), (10.0, 40, 10))
    assert pace.seconds_left(tally) == 20.0
    tally.requests_left = 8
    assert pace.seconds_left(tally) == 2.0
    tally.requests_left = 0
    assert pace.seconds_left(tally) is None


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
    """A job that was broken off says of how many entries."""
    tally = ProgressCounts(entries_total=3, entries_done=3, requests_done=7, output_tokens=950)
    assert closing_text("m", tally, 61) == "m: 3 entries in 1 min, 7 requests, 950 tokens"
    tally.entries_done = 1
    assert closing_text("m", tally, 2) == "m: 1 of 3 entries in 2 s, 7 requests, 950 tokens"


async def shown(
    tally: ProgressCounts, stream: io.StringIO, terminal: bool, looks: int, work: Callable[[int], None]
) -> None:
    """Shows `tally` for a number of looks, with a clock that only these move; `work` stands between."""
    seconds, number, over = 0.0, 0, asyncio.Event()

    async def sleep(pause: float) -> None:
        nonlocal seconds, number
        seconds, number = seconds + pause, number + 1
        work(number)
        if number == looks:
            over.set()
            await asyncio.Event().wait()  # until cancelled

    async with ProgressLine("m", tally, stream, terminal=terminal, clock=lambda: seconds, sleep=sleep):
        await over.wait()


def test_a_log_has_a_line_every_half_minute_and_one_at_the_end() -> None:
    """At four looks a second, a minute and a quarter makes two lines and the last."""
    tally, stream = ProgressCounts(entries_total=300), io.StringIO()

    def work(number: int) -> None:
        tally.entries_done = tally.requests_done = number

    asyncio.run(shown(tally, stream, False, 300, work))
    assert stream.getvalue().splitlines() == [
        "m: 120/300 entries, 0 in flight, 4.0 requests/s, 45 s left",
        "m: 240/300 entries, 0 in flight, 4.0 requests/s, 15 s left",
        "m: 300 entries in 1 min, 300 requests",
    ]


def test_a_terminal_shows_one_line_in_place() -> None:
    """Each look redraws it; at the end only the last line remains, without control sequences."""
    tally, stream = ProgressCounts(entries_total=3), io.StringIO()

    def work(number: int) -> None:
        tally.entries_done = number

    asyncio.run(shown(tally, stream, True, 3, work))
    text = stream.getvalue()
    assert all(f"m: {done}/3 entries" in text for done in range(3))
    assert text.count("\x1b[2K") >= 3  # erased as often as it was drawn
    assert re.fullmatch(r"m: 3 entries in 1 s, 0 requests", text.splitlines()[-1].rpartition("\x1b[2K")[2])


def test_an_error_passes_through_and_the_last_line_is_written() -> None:
    """What stopped the job is not hidden by its progress."""
    tally, stream = ProgressCounts(entries_total=2), io.StringIO()

    async def job() -> None:
        async with ProgressLine("m", tally, stream, terminal=False, clock=lambda: 0.0):
            raise KeyError("a fault")

    with pytest.raises(KeyError):
        asyncio.run(job())
    assert stream.getvalue() == "m: 0 of 2 entries in 0 s, 0 requests\n"
