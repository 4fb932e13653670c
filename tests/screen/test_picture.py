"""The live picture of a run, at fixed widths."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from bfcl_pipeline.screen.displays import LiveDisplay
from bfcl_pipeline.screen.picture import JOBS, picture
from bfcl_pipeline.screen.run_state import Failure, RunningStep, RunState
from tests.support.job_progress import NONE_YET

BUSY = replace(
    NONE_YET,
    name="gpt-x-FC",
    entries_done=1204,
    entries_total=5106,
    sessions_done=12,
    sessions_total=49,
    requests_done=1500,
    requests_left=4500,
    requests_per_second=21.4,
    tokens=1_200_000,
    dollars=3.1,
    seconds_left=182.0,
)
LONG = replace(BUSY, name="some-vendor/a-model-with-a-rather-long-name-FC")


def state_of(*jobs: RunningStep) -> RunState:
    state = RunState(steps_total=100, steps_done=12)
    state.running.update(enumerate(jobs))
    return state


def drawn(state: RunState, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None, force_terminal=True)
    with console.capture() as capture:
        console.print(picture(state.view(), width))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_wide_terminal_shows_all_figures() -> None:
    """A bar for each model, then the steps and those that are running."""
    state = state_of(RunningStep("Generate gpt-x", progress=BUSY), RunningStep("Score oracle-FC"))
    heading, model, steps = drawn(state, 120)
    assert heading.split() == ["entries", "sessions", "requests/s", "time", "left", "tokens", "cost"]
    name, bar, *figures = model.split()
    assert (name, set(bar)) == (
        "gpt-x-FC",
        {"\N{BOX DRAWINGS HEAVY HORIZONTAL}", "\N{BOX DRAWINGS HEAVY LEFT}"},
    )
    assert " ".join(figures) == "1,204/5,106 12/49 21.4 about 3 min 1.2M $3.10"
    assert steps == "12 of 100 steps \N{MIDDLE DOT} Score oracle-FC"


def test_nothing_is_wider_than_the_terminal_and_names_keep_both_ends() -> None:
    """At 80 columns tokens are left out and long names are cut in the middle."""
    lines = drawn(state_of(*(RunningStep("Generate", progress=job) for job in (BUSY, LONG))), 80)
    assert max(map(len, lines)) <= 80
    assert "tokens" not in lines[0]
    assert lines[2].startswith("some")
    assert "FC  " in lines[2]
    assert lines[2].endswith("$3.10")


def test_what_needs_attention_has_a_line_of_its_own() -> None:
    """Why a model waits, and its failed entries; failed steps are counted."""
    waiting = replace(BUSY, wait_seconds=12.0, wait_reason="the server is too busy", entries_failed=2)
    state = state_of(RunningStep("Generate", progress=waiting))
    state.failed[7] = Failure("Score a", "", ())
    *_, note, steps = drawn(state, 80)
    assert note == "gpt-x-FC: waits 12 s: the server is too busy, 2 failed"
    assert steps == "12 of 100 steps, 1 failed"


def test_before_the_first_step_it_says_what_is_going_on() -> None:
    """Planning takes seconds."""
    assert drawn(RunState(), 80) == ["Planning the steps"]


def test_many_models_do_not_fill_the_screen() -> None:
    """The number of the others is given."""
    lines = drawn(state_of(*(RunningStep("Generate", progress=BUSY) for _ in range(JOBS + 3))), 80)
    assert len(lines) == 1 + JOBS + 2
    assert lines[-2] == "and 3 more jobs"


def test_the_picture_is_redrawn_and_removed() -> None:
    """Lines that stay are printed above it; after the end nothing of it is left on the terminal."""
    stream = io.StringIO()
    console = Console(width=80, height=20, file=stream, color_system=None, force_terminal=True)
    display, state = LiveDisplay(stream, console), state_of(RunningStep("Score a"))
    display.update(state)
    display.line("Failed: Score b")
    state.steps_done = 13
    display.update(state)
    display.close()
    text = stream.getvalue()
    assert "12 of 100 steps" in text
    assert "13 of 100 steps" in text
    assert text.index("Failed: Score b") < text.index("13 of 100 steps")
    assert text.endswith("\x1b[1A\x1b[2K")
