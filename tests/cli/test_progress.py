"""The displays of a job's progress: a line on a stream, and what drives it."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable

import pytest

from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.cli.generate import shown_progress
from bfcl_pipeline.show.screen.displays import Display, LiveDisplay


async def shown(
    counts: ProgressCounts, display: Display, looks: int, work: Callable[[int], None] = lambda _: None
) -> None:
    """Shows `counts` for a number of looks, with a clock that only these move; `work` stands between."""
    seconds, number, over = 0.0, 0, asyncio.Event()

    async def sleep(pause: float) -> None:
        nonlocal seconds, number
        seconds, number = seconds + pause, number + 1
        work(number)
        if number == looks:
            over.set()
            await asyncio.Event().wait()  # until cancelled

    async with shown_progress("m", counts, display, None, clock=lambda: seconds, sleep=sleep):
        await over.wait()


def test_a_log_has_a_line_after_a_second_one_every_half_minute_and_one_at_the_end() -> None:
    """At two looks a second, a minute and a quarter makes three lines and the last."""
    counts, stream = ProgressCounts(entries_total=150), io.StringIO()

    def work(number: int) -> None:
        counts.entries_done = counts.requests_done = number

    asyncio.run(shown(counts, Display(stream), 150, work))
    assert stream.getvalue().splitlines() == [
        "m: 2/150 entries, 2.0 requests/s",
        "m: 62/150 entries, 2.0 requests/s",
        "m: 122/150 entries, 2.0 requests/s",
        "m: 150 entries in 1 min, 150 requests",
    ]


def test_a_terminal_shows_a_bar_in_place() -> None:
    """Each look redraws it; at the end only the last line remains, without control sequences."""
    counts, stream = ProgressCounts(entries_total=3), io.StringIO()

    def work(number: int) -> None:
        counts.entries_done = number

    asyncio.run(shown(counts, LiveDisplay(stream), 3, work))
    text = stream.getvalue()
    assert all(f"{done}/3" in text for done in range(3))
    assert text.count("\x1b[2K") >= 3  # erased as often as it was drawn
    assert re.fullmatch(r"m: 3 entries in 2 s", text.splitlines()[-1].rpartition("\x1b[2K")[2])


def test_an_error_passes_through_and_the_last_line_is_written() -> None:
    """What stopped the job is not hidden by its progress."""
    counts, stream = ProgressCounts(entries_total=2), io.StringIO()
    line = Display(stream)

    async def job() -> None:
        async with shown_progress("m", counts, line, None, clock=lambda: 0.0):
            raise KeyError("a fault")

    with pytest.raises(KeyError):
        asyncio.run(job())
    assert stream.getvalue() == "m: stopped after 0 s, 0/2 entries complete\n"
