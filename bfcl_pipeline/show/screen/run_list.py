"""The runs of a folder as a table: what each evaluated, its best overall score, its size, its state.

Reads the CSV tables with the standard library alone, so that the command starts fast.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.base.files import files_below
from bfcl_pipeline.base.text import cut_middle, fitted_table, not_shown, printable
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.format import MISSING
from bfcl_pipeline.show.report.notes import csv_rows, reading_table
from bfcl_pipeline.show.report.v4_table import score_cell
from bfcl_pipeline.show.screen.run_state import RunWatcher, reporting_file

_HEADINGS = ("Run", "Date", "State", "Models", "Entries", "Best", "Requests", "MB")
_NOTE = "Best: the highest overall score, per cent. Requests: those that were answered."


def run_lines(runs: Iterable[Run], width: int) -> Iterator[str]:
    """A line for each run below headings, in lines of at most `width` columns; then what they mean."""
    lines, left_out = fitted_table(_HEADINGS, list(map(_cells, runs)), width, name=3, least=4)
    yield from [*lines, _NOTE, *not_shown(left_out, width)]


def _cells(run: Run) -> list[str]:
    record = run.config_file if run.config_file.is_file() else run.folder
    date = datetime.fromtimestamp(record.stat().st_mtime, UTC).date().isoformat()
    try:
        found = [_state(run), *_results(run), _size(run)]
    except PipelineError:
        found = ["unreadable", *[MISSING] * 5]
    return [printable(run.folder.name), date, *found]


def _size(run: Run) -> str:
    """The size of its files in MB; those of a run at work may vanish meanwhile."""
    size = 0
    for path in files_below(run.folder):
        with suppress(FileNotFoundError):
            size += path.lstat().st_size
    return f"{size / 1e6:,.1f}"


def _state(run: Run) -> str:
    """Where the run is; of one that reported nothing in this folder, whether it has a page."""
    path = reporting_file(run.folder)
    found = path and RunWatcher(path).read()
    return found.phase.value if found else "done" if (run.folder / "report.html").is_file() else "no report"


def _results(run: Run) -> Iterator[str]:
    """Models, entries, the best overall score and requests, by the tables."""
    with reading_table(run, "leaderboard"):
        ranked = [row for row in csv_rows(run.csv_table("leaderboard")) if row["rules"] == run.rules]
        first, *others = dict.fromkeys(trial_of(row["model"]).model for row in ranked) or [MISSING]
        yield cut_middle(printable(first), 20) + (f" +{len(others):,}" if others else "")
    with reading_table(run, "usage"):
        rows = csv_rows(run.csv_table("usage"))
        asked: dict[str, int] = {}
        for row in (row for row in rows if row["part"] == "entries"):
            asked[row["category"]] = max(asked.get(row["category"], 0), int(row["entries"]))
        yield f"{sum(asked.values()):,}" if rows else MISSING
        yield score_cell(ranked[0], "overall") if ranked else MISSING
        yield f"{sum(int(row['exchanges']) for row in rows):,}" if rows else MISSING
