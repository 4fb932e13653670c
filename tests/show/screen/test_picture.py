"""The live picture of a run, at fixed widths."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from bfcl_pipeline.show.screen.displays import LiveDisplay
from bfcl_pipeline.show.screen.picture import picture
from bfcl_pipeline.show.screen.progress import JobProgress
from bfcl_pipeline.show.screen.run_state import FailedStep, ModelJob, ModelState, RunState
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


def state_of(*jobs: JobProgress, steps: tuple[str, ...] = ()) -> RunState:
    """A run without a title, whose jobs are at work."""
    models = (ModelJob(name=job.name, state=ModelState.RUNNING, progress=job) for job in jobs)
    return RunState(steps_total=100, steps_done=12, steps_running=steps, models=tuple(models))


def drawn(state: RunState, width: int, height: int = 40) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None, force_terminal=True)
    with console.capture() as capture:
        console.print(picture(state, width, height))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_wide_terminal_shows_all_figures() -> None:
    """A bar for each model, then the steps and those that are running."""
    state = state_of(BUSY, steps=("Score oracle-FC",))
    heading, model, steps = drawn(state, 120)
    assert heading.split() == ["entries", "sessions", "requests", "rate", "time", "left", "tokens", "cost"]
    name, bar, *figures = model.split()
    assert (name, set(bar)) == (
        "gpt-x-FC",
        {"\N{BOX DRAWINGS HEAVY HORIZONTAL}", "\N{BOX DRAWINGS HEAVY LEFT}"},
    )
    assert " ".join(figures) == "1,204/5,106 12/49 1.5k/6.0k 21.4 req/s about 3 min 1.2M $3.10"
    assert steps == "12 of 100 steps \N{MIDDLE DOT} Score oracle-FC"


def test_nothing_is_wider_than_the_terminal_and_names_keep_both_ends() -> None:
    """At 80 columns tokens are left out and long names are cut in the middle."""
    lines = drawn(state_of(BUSY, LONG), 80)
    assert max(map(len, lines)) <= 80
    assert "tokens" not in lines[0]
    assert lines[2].startswith("some")
    assert "FC  " in lines[2]
    assert lines[2].endswith("$3.10")


def test_what_needs_attention_has_a_line_of_its_own() -> None:
    """Why a model waits, and its failed entries; failed steps are counted."""
    waiting = replace(
        BUSY, wait_seconds=12.0, wait_reason="the server is too busy", failures={"skipped": 2}
    )
    state = replace(state_of(waiting), failed=(FailedStep(text="Score a", log="", reason=""),))
    *_, note, failed, steps = drawn(state, 80)
    assert note == "gpt-x-FC: waits 12 s: the server is too busy"
    assert failed == "  without an answer: 2 skipped"
    assert steps == "12 of 100 steps, 1 failed"


def test_before_the_first_step_it_says_what_is_going_on() -> None:
    """Planning takes seconds."""
    assert drawn(RunState(), 80) == ["Planning the steps"]


def test_many_models_do_not_fill_the_screen() -> None:
    """The number of the others is given."""
    lines = drawn(state_of(*[BUSY] * 23), 80, height=24)
    assert len(lines) == 1 + 20 + 2
    assert lines[-2] == "Models: 3 more at work"


def test_the_picture_is_redrawn_and_removed() -> None:
    """Lines that stay are printed above it; after the end nothing of it is left on the terminal."""
    stream = io.StringIO()
    console = Console(width=80, height=20, file=stream, color_system=None, force_terminal=True)
    display, state = LiveDisplay(stream, console), state_of(steps=("Score a",))
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


FAILING = replace(
    BUSY,
    requests_in_flight=32,
    retries=9,
    entries_failed=2,
    failures={"infrastructure_error": 2, "context_overflow": 1},
    errors={"rate limit": 9, "no connection": 4},
    last_error="HTTP 503: overloaded",
    budget=5.0,
    spent=4.2,
)


def titled(*models: ModelJob, failed: int = 0) -> RunState:
    return RunState(
        name="mine",
        title="Run mine: 100 models, 22 categories",
        seconds=75.0,
        steps_done=12,
        steps_total=304,
        steps_running=("Score oracle-FC",),
        failed=tuple(FailedStep(text=f"Score {n}", log="a.log", reason="no room") for n in range(failed)),
        models=models,
        at_work=True,
    )


def a_hundred() -> list[ModelJob]:
    """Models in all states, half of those at work with troubles."""
    states = [ModelState.WAITING, ModelState.FINISHED, ModelState.RUNNING, ModelState.FAILED]
    return [
        ModelJob(
            name=f"m{number}",
            state=states[number % 4],
            progress=None
            if number % 4 == 0
            else replace(FAILING if number % 8 == 2 else BUSY, name=f"m{number}-FC"),
        )
        for number in range(100)
    ]


def test_failures_by_kind_and_the_last_error_are_below_the_bars() -> None:
    """Statuses of entries, kinds of attempts, retries; the cost is compared with the budget."""
    heading, model, troubles, error, _steps = drawn(state_of(FAILING), 200)
    assert "in flight" in heading
    assert model.endswith("1.2M  $4.20 of $5.00")
    assert troubles == (
        "gpt-x-FC: without an answer: 1 context_overflow, 2 infrastructure_error; "
        "failed attempts: 4 no connection, 9 rate limit; 9 retries"
    )
    assert error == "  last error: HTTP 503: overloaded"


def test_searches_left_have_a_line_below_the_bar() -> None:
    """Of a model at work on web questions: those made, and about how many are left."""
    searching = replace(NONE_YET, searches=1_234, searches_left=56)
    _heading, _model, searches, _steps = drawn(state_of(searching), 120)
    assert searches == "m: 1,234 searches, about 56 left"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 50), (40, 10)])
@pytest.mark.parametrize("failed", [0, 60])
def test_a_hundred_models_fit_any_terminal(width: int, height: int, failed: int) -> None:
    """Models at work come first; the others are counted."""
    lines = drawn(titled(*a_hundred(), failed=failed), width, height)
    assert len(lines) < height
    assert max(map(len, lines)) <= width
    assert any(line.startswith("m2") for line in lines)
    assert any("25 waiting, 25 finished, 25 failed"[: width - 30] in line for line in lines)


def test_finished_models_have_bars() -> None:
    """Their state is in the place of the time left; they have no rate."""
    finished = ModelJob(name="a", state=ModelState.FINISHED, progress=replace(BUSY, name="a-FC"))
    lines = drawn(titled(finished, ModelJob(name="b", state=ModelState.WAITING)), 120)
    assert lines[0] == "Run mine: 100 models, 22 categories; running, after 1 min, $3.10"
    assert lines[2].startswith("a-FC")
    assert "finished" in lines[2]
    assert "req/s" not in lines[2]
    assert lines[3] == "Models: 1 waiting, 1 finished"


def test_a_silent_job_is_named_with_its_log() -> None:
    """After two minutes without news, and not before."""
    model = ModelJob(
        name="a", state=ModelState.RUNNING, progress=BUSY, silent_seconds=121.0, log="results/r/a.log"
    )
    lines = drawn(titled(model), 120)
    assert "gpt-x-FC: no news for 2 min: the job may have been killed; log: results/r/a.log" in lines
    quiet = drawn(titled(replace(model, silent_seconds=119.0)), 120)
    assert not any("no news" in line for line in quiet)


def test_an_embedded_model_has_a_rate_of_entries() -> None:
    """It sends no requests. A slow model's rate is per minute."""
    embedded = replace(NONE_YET, entries_done=1, requests_per_second=0.0, entries_per_second=250.0)
    slow = replace(NONE_YET, entries_done=1, requests_per_second=0.05)
    lines = drawn(state_of(embedded, slow), 80)
    assert "250.0 entries/s" in lines[1]
    assert "3.0 req/min" in lines[2]
