"""The live picture of a run: the run, a bar for each job that generates responses, the steps.

Loads rich, therefore only on terminals.
"""

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bfcl_pipeline.screen.progress import JobProgress, cost, duration, short, waiting_text
from bfcl_pipeline.screen.run_state import RunState
from bfcl_pipeline.text import cut_middle, plural

JOBS = 12
"""Bars that are shown; of more jobs, the number is given."""

_SPACE = 2  # columns between two columns of the table
_HEADINGS = ("", "", "entries", "sessions", "requests/s", "time left", "tokens", "cost")
_TOKENS, _WIDE = _HEADINGS.index("tokens"), 110  # tokens are shown on terminals of this many columns
_SHORTEST_NAME = 12


def picture(state: RunState, width: int) -> RenderableType:
    """The picture for a terminal with this number of columns."""
    jobs = list(state.generating())
    parts: list[RenderableType] = []
    if jobs:
        parts.append(_jobs(jobs[:JOBS], width))
        parts += [_line(f"{job.name}: {note}", "yellow") for job in jobs[:JOBS] if (note := _note(job))]
    if len(jobs) > JOBS:
        parts.append(_line(f"and {plural(len(jobs) - JOBS, 'more job', 'more jobs')}", "dim"))
    parts.append(_line(_steps(state), "bold"))
    return Group(*parts)


def _jobs(jobs: list[JobProgress], width: int) -> Table:
    """A row for each job; columns in which no job has anything are left out, long names are cut."""
    rows = [_figures(job) for job in jobs]
    shown = [
        column
        for column in range(2, len(_HEADINGS))
        if any(row[column] for row in rows) and (column != _TOKENS or width >= _WIDE)
    ]
    taken = sum(_SPACE + max(len(row[column]) for row in [_HEADINGS, *rows]) for column in shown)
    bar = max(8, min(30, (width - taken) // 3))
    longest = max(max(len(job.name) for job in jobs), len(_HEADINGS[0]))
    name = min(longest, max(_SHORTEST_NAME, width - taken - bar - _SPACE))
    table = Table.grid(padding=(0, _SPACE, 0, 0))
    table.add_column(width=name, no_wrap=True, overflow="ellipsis")
    table.add_column(width=bar)
    for _ in shown:
        table.add_column(no_wrap=True, justify="right")
    table.add_row("", "", *(Text(_HEADINGS[column], "dim") for column in shown))
    for job, row in zip(jobs, rows, strict=True):
        cells = [row[column] for column in shown]
        table.add_row(cut_middle(job.name, name), ProgressBar(1.0, job.share, width=bar), *cells)
    return table


def _figures(job: JobProgress) -> list[str]:
    """The cells of a job, by the places of _HEADINGS."""
    return [
        "",
        "",
        f"{job.entries_done:,}/{job.entries_total:,}",
        f"{job.sessions_done:,}/{job.sessions_total:,}" if job.sessions_total else "",
        f"{job.requests_per_second:,.1f}" if job.requests_per_second else "",
        "" if job.seconds_left is None else f"about {duration(job.seconds_left)}",
        short(job.tokens) if job.tokens else "",
        "" if job.dollars is None else cost(job.dollars),
    ]


def _note(job: JobProgress) -> str:
    """What a user should know besides: why it waits, what failed."""
    parts = [waiting_text(job)]
    if job.entries_failed:
        parts.append(f"{job.entries_failed:,} failed")
    return ", ".join(filter(None, parts))


def _steps(state: RunState) -> str:
    if not state.steps_total:
        return "Planning the steps"
    parts = [f"{state.steps_done:,} of {plural(state.steps_total, 'step', 'steps')}"]
    if state.failed:
        parts[0] += f", {len(state.failed):,} failed"
    parts += [step.text for step in state.running.values() if step.progress is None]
    return " \N{MIDDLE DOT} ".join(parts)


def _line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")
