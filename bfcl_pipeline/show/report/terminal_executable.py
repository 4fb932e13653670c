"""The scores on V1's executable categories as text for a terminal.

Reads `tables/executable.csv` with the standard library alone, as `report.terminal` does.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import cut_middle, plural, printable, text_table
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import mark, note
from bfcl_pipeline.show.report.executable_titles import BIAS, OVERALL_OF_2024, UNRANKED, is_biased
from bfcl_pipeline.show.report.format import interval, percent
from bfcl_pipeline.show.report.notes import csv_rows

_SCORES = {
    "exec_simple": "Python",
    "rest": "REST",
    "exec_multiple": "Mult",
    "exec_parallel": "Par",
    "exec_parallel_multiple": "ParMult",
    "sql": "SQL",
    "chatable": "Chat",
}
"""The scores after the summary and its interval, and their headings."""

_HEADINGS = ("Executable (V1)", "Summary", "95 % int.", *_SCORES.values())

_LEAST = 3  # columns that are always shown

_NAME = 20  # columns for the names of models

_NOTE = "Not part of V4. Summary: mean of (Python + REST) / 2, Mult, Par and ParMult."

_NOTE_OF_2024 = "The overall by the formula of August 2024 is in tables/executable.csv."


def executable_lines(run: Run, rules: Rules, width: int) -> list[str]:
    """An empty line, then one line for each model; nothing if the run has none of these categories.

    width: of the lines; the last scores are left out if they do not fit. Raises TableError if the table is
    there and cannot be read.
    """
    path = run.csv_table("executable")
    try:
        rows = [row for row in csv_rows(path) if row["rules"] == rules.value]
        cells = [_cells(row) for row in rows]
        notes = list(_notes(rows))
    except (OSError, KeyError, ValueError, csv.Error) as error:
        raise TableError(
            f"{path}: not a table of executable categories ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run.folder})."
        ) from error
    if not rows:
        return []
    shown = len(_HEADINGS)
    while max(map(len, _table(cells, shown))) > width and shown > _LEAST:
        shown -= 1
    if left_out := _HEADINGS[shown:]:
        notes.append(f"Not shown in {width} columns: {', '.join(left_out)}.")
    return ["", *_table(cells, shown), *notes]


def _table(cells: Sequence[Sequence[str]], shown: int) -> list[str]:
    rows = [row[:shown] for row in cells]
    return text_table(_HEADINGS[:shown], rows, right=range(1, shown)).splitlines()


def _cells(row: Mapping[str, str]) -> list[str]:
    limits = (_number(row[f"exec_summary_ci_{end}"]) for end in ("low", "high"))
    return [
        cut_middle(printable(row["display_name"]), _NAME),
        _score(row, "exec_summary"),
        interval(*limits) or "-",
        *(_score(row, name) for name in _SCORES),
    ]


def _score(row: Mapping[str, str], name: str) -> str:
    share = _number(row[name])
    executed = share is not None and name not in UNRANKED
    return percent(share) + (mark(row["web"]) if executed else "")


def _notes(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    yield _NOTE
    if any(row[OVERALL_OF_2024] for row in rows):
        yield _NOTE_OF_2024
    missing, unrecorded = (sum(int(row[name]) for row in rows) for name in ("not_answered", "not_recorded"))
    if missing:
        of_record = f", of which {unrecorded:,} not recorded" if unrecorded else ""
        yield f"In no score: {plural(missing, 'entry', 'entries')} without a verdict{of_record}."
    if is_biased(rows):
        yield BIAS
    if meaning := note(row["web"] for row in rows):
        yield f"{meaning}."


def _number(text: str) -> float | None:
    return float(text) if text else None
