"""The picture of a run: a bar for each job that generates responses, what needs attention, the steps.

Loads rich, therefore only where it is drawn.
"""

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bfcl_pipeline.base.text import cut_middle, duration, plural
from bfcl_pipeline.show.screen.lines import (
    cost,
    cost_text,
    failures_text,
    searches_text,
    short,
    waiting_text,
)
from bfcl_pipeline.show.screen.progress import JobProgress
from bfcl_pipeline.show.screen.run_state import ModelJob, ModelState, Phase, RunState

QUIET_SECONDS = 120.0
"""A job or a run without a sign of life for so long may have been killed."""

PLAIN_WIDTH = 200
"""Columns of a picture that is printed in a file."""

FEWEST = 3
"""Bars that are shown on a terminal with few lines."""

_WIDE = 110  # columns of a terminal from which the figures in _MORE are shown
_MORE = ("sessions", "requests", "in flight", "tokens")


def picture(state: RunState, width: int, height: int = 40) -> RenderableType:
    """The picture for a terminal of this size, with at most `height` - 1 lines."""
    states = (ModelState.RUNNING, ModelState.FAILED, ModelState.FINISHED)
    reported = [model for model in state.in_state(*states) if model.progress is not None]
    head = _head(state)[: max(1, height // 4)]
    room = max(1, height - len(head) - 4)  # without the headings, two lines below and that of the cursor
    notes = [_notes(model) for model in reported]
    shown = min(len(reported), room)
    if any(notes[:shown]):  # a third of the room for what needs attention
        shown = min(shown, max(FEWEST, 2 * room // 3))
    parts: list[RenderableType] = [*head]
    if shown:
        parts.append(_bars(reported[:shown], width))
    parts += [line for lines in notes[:shown] for line in lines][: max(0, room - shown)]
    foot = {_others(state, shown): "dim", _steps(state): "bold"}
    return Group(*parts, *(_line(text, style) for text, style in foot.items() if text))


def print_state(state: RunState, stream: TextIO) -> None:
    """Prints the whole picture once, in plain text unless `stream` is a terminal."""
    console = Console(file=stream, highlight=False, width=None if stream.isatty() else PLAIN_WIDTH)
    console.print(picture(state, console.width, 10 * len(state.models) + len(state.failed) * 4 + 40))


def _head(state: RunState) -> list[Text]:
    """The run, how long it has been at work, whether it is alive, and its failed steps."""
    if not state.title:
        return []
    phase = state.phase.value if state.phase is not Phase.FAILED else "ended with failures"
    after = f", after {duration(state.seconds)}" if state.seconds else ""
    money = "" if state.dollars is None else f", {cost(state.dollars)}"
    lines = [_line(f"{state.title}; {phase}{after}{money}", "bold")]
    if state.phase is Phase.KILLED:
        lines.append(_line("Its process has ended without reporting its end.", "yellow"))
    elif state.phase is Phase.RUNNING and not state.at_work:
        unseen = "No sign of life was seen: it may be at work on another machine, or have been killed."
        lines.append(_line(_silence("the run", state.silent_seconds) or unseen, "yellow"))
    return lines + [
        _line(f"Failed: {step.text}: {step.reason or step.log}", "red") for step in state.failed
    ]


def _bars(models: Sequence[ModelJob], width: int) -> Table:
    """A row for each model; columns in which none has anything are left out, long names are cut."""
    rows = [(model.progress, _figures(model.progress, model.state)) for model in models if model.progress]
    headings = [
        heading
        for heading in rows[0][1]
        if any(figures[heading] for _, figures in rows) and (width >= _WIDE or heading not in _MORE)
    ]
    more = max(0, width - 80)
    name, bar = 12 + more // 3, 8 + min(22, more // 4)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(width=bar)
    for _ in headings:
        table.add_column(no_wrap=True, justify="right")
    table.add_row("", "", *(Text(heading, "dim") for heading in headings))
    for job, figures in rows:
        cells = [Text(figures[heading]) for heading in headings]
        table.add_row(Text(cut_middle(job.name, name)), ProgressBar(1.0, job.share, width=bar), *cells)
    return table


def _figures(job: JobProgress, state: ModelState) -> dict[str, str]:
    """The cells of a job by their headings; the state of one that has ended is in the place of the time."""
    at_work = state is ModelState.RUNNING
    left = "" if job.seconds_left is None else f"about {duration(job.seconds_left)}"
    return {
        "entries": f"{job.entries_answered:,}/{job.entries_total:,}",
        "sessions": f"{job.sessions_done:,}/{job.sessions_total:,}" if job.sessions_total else "",
        "requests": f"{short(job.saved)}/{short(job.saved + job.requests_left)}" if job.saved else "",
        "in flight": f"{job.requests_in_flight:,}" if job.requests_in_flight and at_work else "",
        "rate": _rate(job) if at_work else "",
        "time left": left if at_work else state.value,
        "tokens": short(job.tokens) if job.tokens else "",
        "cost": cost_text(job),
    }


def _rate(job: JobProgress) -> str:
    """Requests per second; entries, where no requests are sent; per minute, where they are few."""
    requests = job.requests_per_second
    rate, what = (requests, "req") if requests else (job.entries_per_second, "entries")
    if not rate:
        return ""
    return f"{rate:,.1f} {what}/s" if rate >= 0.1 else f"{60 * rate:,.1f} {what}/min"


def _notes(model: ModelJob) -> list[Text]:
    """What a user should know besides: why it waits, whether it is alive, what failed."""
    job = model.progress
    if job is None:
        return []
    texts = [failures_text(job), f"last error: {job.last_error}" if job.last_error else ""]
    if model.state is ModelState.RUNNING:
        silence = _silence("the job", model.silent_seconds)
        silence += f"; log: {model.log}" if silence and model.log else ""
        texts = [silence, waiting_text(job), searches_text(job) if job.searches_left else "", *texts]
    first, *more = [text for text in texts if text] or [""]
    lines = [f"{job.name}: {first}", *(f"  {text}" for text in more)] if first else []
    return [_line(line, "yellow") for line in lines]


def _silence(what: str, seconds: float) -> str:
    """What a job or run that gives no sign of life may mean; empty if it gave one recently."""
    quiet = seconds >= QUIET_SECONDS
    return f"no news for {duration(seconds)}: {what} may have been killed" if quiet else ""


def _others(state: RunState, shown: int) -> str:
    """How many models have finished, wait, failed or have reported nothing, and how many run unseen."""
    reported = len(state.reports(ModelState.RUNNING))
    counts = {one.value: sum(1 for _ in state.in_state(one)) for one in ModelState}
    unseen = {
        "more at work": max(0, reported - shown),
        "starting or queued": counts.pop(ModelState.RUNNING.value) - reported,
    }
    texts = [f"{count:,} {what}" for what, count in (unseen | counts).items() if count]
    return f"Models: {', '.join(texts)}" if texts else ""


def _steps(state: RunState) -> str:
    """Steps done, failed and running, without those that generate responses."""
    if not state.steps_total:
        return "" if state.models or state.phase is not Phase.RUNNING else "Planning the steps"
    failed = f", {len(state.failed):,} failed" if state.failed else ""
    done = f"{state.steps_done:,} of {plural(state.steps_total, 'step', 'steps')}{failed}"
    return " \N{MIDDLE DOT} ".join([done, *state.steps_running])


def _line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")
