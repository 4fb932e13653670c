"""The live picture of a run: a bar for each job that generates responses, what needs attention, the steps.

Loads rich, therefore only on terminals.
"""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bfcl_pipeline.base.text import cut_middle, duration
from bfcl_pipeline.show.screen.progress import (
    JobProgress,
    cost,
    cost_text,
    searches_text,
    short,
    troubles_text,
    waiting_text,
)
from bfcl_pipeline.show.screen.run_view import ModelState, ModelView, RunView, silence_text, steps_text

JOBS = 12
"""Bars that are shown during a run, above whose picture finished models have their lines."""

FEWEST = 3
"""Bars that are shown on a terminal with few lines."""

_SPACE = 2  # columns between two columns of the table
_HEADINGS = ("", "", "entries", "sessions", "requests", "in flight", "rate", "time left", "tokens", "cost")
_DROPPED = ("tokens", "in flight", "requests", "sessions")  # the first to be left out in a narrow terminal
_SHORTEST_NAME, _SHORTEST_BAR, _LONGEST_BAR = 12, 8, 30
_MARKS = {
    ModelState.WAITING: "waiting",
    ModelState.RUNNING: "starting",  # nothing reported yet
    ModelState.FINISHED: "finished",
    ModelState.FAILED: "failed",
}


def picture(view: RunView, width: int, height: int = 40, *, alone: bool = False) -> RenderableType:
    """The picture for a terminal of this size, with at most `height` - 1 lines.

    alone: whether no lines stand above it: then it has a title, the failed steps, and bars of models that
    have failed or finished, too.
    """
    states = (ModelState.RUNNING, *((ModelState.FAILED, ModelState.FINISHED) if alone else ()))
    reported = [model for model in view.in_state(*states) if model.progress is not None]
    head = _head(view)[: max(1, height // 4)] if alone else []
    foot = [True, bool(steps_text(view))].count(True)  # `_foot` has no more lines
    room = max(1, height - 1 - len(head) - foot - 1)  # one line for the headings
    notes = [_notes(model) for model in reported]
    shown = min(len(reported), room if alone else min(room, JOBS))
    if any(notes[:shown]):  # a third of the room for what needs attention
        shown = min(shown, max(FEWEST, 2 * room // 3))
    parts: list[RenderableType] = [*head]
    if shown:
        parts.append(_jobs(reported[:shown], width))
    parts += [line for lines in notes[:shown] for line in lines][: max(0, room - shown)]
    return Group(*parts, *_foot(view, shown))


def _head(view: RunView) -> list[Text]:
    """The run, how long it has been at work, whether it is alive, and its failed steps."""
    money = "" if view.dollars is None else f", {cost(view.dollars)}"
    lines = [_line(f"{view.title}; {duration(view.seconds)}{money}", "bold")]
    if silence := silence_text("the run", view.silent_seconds):
        lines.append(_line(silence, "yellow"))
    lines += [_line(f"Failed: {step.text}: {step.reason or step.log}", "red") for step in view.failed]
    return lines


def _foot(view: RunView, shown: int) -> list[Text]:
    """The lines below the bars. shown: how many models have one."""
    lines = []
    if others := others_text(view, shown):
        lines.append(_line(others, "dim"))
    if steps := steps_text(view):
        lines.append(_line(steps, "bold"))
    return lines


def others_text(view: RunView, shown: int) -> str:
    """How many models have finished, wait, failed or have reported nothing, and how many run unseen."""
    reported = sum(model.progress is not None for model in view.in_state(ModelState.RUNNING))
    counts = [
        (max(0, reported - shown), "more at work"),
        (sum(model.progress is None for model in view.in_state(ModelState.RUNNING)), "starting or queued"),
        *(
            (sum(1 for _ in view.in_state(state)), _MARKS[state])
            for state in (ModelState.WAITING, ModelState.FINISHED, ModelState.FAILED)
        ),
    ]
    texts = [f"{count:,} {what}" for count, what in counts if count]
    return f"Models: {', '.join(texts)}" if texts else ""


def _jobs(models: Sequence[ModelView], width: int) -> Table:
    """A row for each job; columns in which no job has anything are left out, long names are cut."""
    jobs = [model.progress for model in models if model.progress is not None]
    rows = [_figures(job, model.state) for job, model in zip(jobs, models, strict=True)]
    columns = [column for column in range(2, len(_HEADINGS)) if any(row[column] for row in rows)]
    longest = max(len(job.name) for job in jobs)
    fewest = min(longest, _SHORTEST_NAME) + _SPACE + _SHORTEST_BAR
    for heading in _DROPPED:
        if fewest + _taken(columns, rows) > width:
            columns = [column for column in columns if _HEADINGS[column] != heading]
    taken = _taken(columns, rows)
    bar = max(_SHORTEST_BAR, min(_LONGEST_BAR, (width - taken) // 3))
    name = min(longest, max(_SHORTEST_NAME, width - taken - bar - _SPACE))
    table = Table.grid(padding=(0, _SPACE, 0, 0))
    table.add_column(width=name, no_wrap=True, overflow="ellipsis")
    table.add_column(width=bar)
    for _ in columns:
        table.add_column(no_wrap=True, justify="right")
    table.add_row("", "", *(Text(_HEADINGS[column], "dim") for column in columns))
    for job, row in zip(jobs, rows, strict=True):
        cells = [Text(row[column]) for column in columns]
        table.add_row(Text(cut_middle(job.name, name)), ProgressBar(1.0, job.share, width=bar), *cells)
    return table


def _taken(columns: Iterable[int], rows: Sequence[Sequence[str]]) -> int:
    return sum(_SPACE + max(len(row[column]) for row in [_HEADINGS, *rows]) for column in columns)


def _figures(job: JobProgress, state: ModelState) -> list[str]:
    """The cells of a job, by the places of _HEADINGS."""
    at_work = state is ModelState.RUNNING
    requests = f"{short(job.saved)}/{short(job.saved + job.requests_left)}"
    left = "" if job.seconds_left is None else f"about {duration(job.seconds_left)}"
    return [
        "",
        "",
        f"{job.entries_done:,}/{job.entries_total:,}",
        f"{job.sessions_done:,}/{job.sessions_total:,}" if job.sessions_total else "",
        requests if job.saved else "",
        f"{job.requests_in_flight:,}" if job.requests_in_flight and at_work else "",
        _rate(job) if at_work else "",
        left if at_work else _MARKS[state],
        short(job.tokens) if job.tokens else "",
        cost_text(job),
    ]


def _rate(job: JobProgress) -> str:
    """Requests per second; entries, where no requests are sent; per minute, where they are few."""
    rate, what = job.requests_per_second, "req"
    if not rate:
        rate, what = job.entries_per_second, "entries"
    if not rate:
        return ""
    return f"{rate:,.1f} {what}/s" if rate >= 0.1 else f"{60 * rate:,.1f} {what}/min"


def _notes(model: ModelView) -> list[Text]:
    """What a user should know besides: why it waits, whether it is alive, what failed."""
    job = model.progress
    if job is None:
        return []
    at_work = model.state is ModelState.RUNNING
    silence = silence_text("the job", model.silent_seconds) if at_work else ""
    if silence and model.log:
        silence += f"; log: {model.log}"
    waiting = waiting_text(job) if at_work and not silence else ""
    last = f"last error: {job.last_error}" if job.last_error else ""
    searches = searches_text(job) if at_work and job.searches_left else ""
    texts = [text for text in (silence, waiting, searches, troubles_text(job), last) if text]
    return [
        _line(f"  {text}" if number else f"{job.name}: {text}", "yellow")
        for number, text in enumerate(texts)
    ]


def _line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")
