"""The V4 table for a terminal: aligned, 100 columns where names allow, plain text where nobody looks on.

Reads `tables/leaderboard.csv` with the standard library alone, so that it prints at once.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import GROUP
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.cells import PARTIAL, interval, is_partial, percent, plural
from bfcl_pipeline.report.web_label import note, score_mark

WIDTH = 100
"""Columns that the table fits in, unless models with long names would look the same then."""

COLUMNS: tuple[tuple[str, str], ...] = (
    ("non_live", "Non-live"),
    ("live", "Live"),
    ("multi_turn", "Multi"),
    ("web_search", "Web"),
    ("memory", "Mem"),
    ("live_relevance", "Relev"),
    ("irrelevance_all", "Irrel"),
)
"""The scores after the overall and its interval, and their headers."""

_NUMBERS = (*GROUP, *(f"{name}_ci_{end}" for name in GROUP for end in ("low", "high")), *CATEGORIES)


@dataclass(frozen=True, slots=True)
class TerminalTable:
    """What the terminal shows."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]  # rank and model, then numbers
    notes: Sequence[str]  # beneath


def read_terminal_table(run_dir: Path, rules: Rules) -> TerminalTable:
    """The table of a run. Raises TableError if its leaderboard is missing or cannot be read."""
    path = run_dir / "tables" / "leaderboard.csv"
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            found = [row for row in csv.DictReader(lines) if row.get("rules") == rules.value]
        rows = [_numbers(row) for row in found]
        webs = [row["web"] for row in found]
    except FileNotFoundError as error:
        raise TableError(
            f"{path}: no such table. Make it first (bfcl-pipeline aggregate {run_dir})."
        ) from error
    except (KeyError, ValueError, csv.Error) as error:
        raise TableError(f"{path}: not a leaderboard table ({error!r}). Make it again.") from error
    if not rows:
        raise TableError(f"{path}: no model was judged under {rules.value} rules.")
    header = ["#", "Model", "Overall", "95 % int.", *(title for _, title in COLUMNS)]
    cells = [_cells(text, row) for text, row in zip(found, rows, strict=True)]
    return TerminalTable(header, cells, [*_notes(found, rows, rules), *_web_notes(webs)])


def _number(text: str) -> float | None:
    return float(text) if text else None


def _numbers(row: Mapping[str, str]) -> dict[str, float | None]:
    return {name: _number(row[name]) for name in _NUMBERS}


def _cells(text: Mapping[str, str], row: Mapping[str, float | None]) -> list[str]:
    return [
        text["rank"],
        _printable(text["display_name"]),
        _score(row, "overall", text["web"]),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(_score(row, name, text["web"]) for name, _ in COLUMNS),
    ]


def _printable(name: str) -> str:
    """A model's name without what could steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _score(row: Mapping[str, float | None], name: str, web: str) -> str:
    return percent(row[name]) + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, web)


def _notes(
    found: Sequence[Mapping[str, str]],
    rows: Sequence[Mapping[str, float | None]],
    rules: Rules,
) -> list[str]:
    notes = [f"Per cent, {rules.value} rules."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    lost = sum(int(text["not_answered"]) for text in found)
    if lost:
        notes.append(f"In no score: {plural(lost, 'entry', 'entries')} without a verdict.")
    return notes


def _web_notes(webs: Sequence[str]) -> list[str]:
    said = note(webs)
    return [f"{said}."] if said else []


def plain_text(table: TerminalTable) -> str:
    """The table as text: names to the left, numbers to the right, two spaces between columns."""
    lines = [table.header, *_fitted(table)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.header))]
    text = [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([text[0], "-" * max(map(len, text)), *text[1:], *table.notes])


def print_rich(table: TerminalTable) -> None:
    """Prints the table to a terminal with rules and weight, in the same columns."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for column, title in enumerate(table.header):
        style = {2: "bold", 3: "dim"}.get(column, "")
        shown.add_column(Text(title), justify="left" if column == 1 else "right", style=style, no_wrap=True)
    for row in _fitted(table):
        shown.add_row(*map(Text, row))
    lines = plain_text(table).splitlines()
    console = Console(width=max(WIDTH, *map(len, lines)) + 2, highlight=False)
    console.print(shown)
    console.print(Text("\n".join(table.notes), style="dim"))


def _fitted(table: TerminalTable) -> list[Sequence[str]]:
    """The rows with model names cut so that a line fits in WIDTH, if they are still told apart then."""
    lines = [table.header, *table.rows]
    others = sum(
        max(len(line[column]) for line in lines) + 2 for column in range(len(table.header)) if column != 1
    )
    names = {row[1] for row in table.rows}
    longest = max(map(len, names))
    room = min(max(WIDTH - others, 8), longest)
    while room < longest and len({_cut(name, room) for name in names}) < len(names):
        room += 1
    return [[row[0], _cut(row[1], room), *row[2:]] for row in table.rows]


def _cut(name: str, room: int) -> str:
    """Cut in the middle: the end often tells the mode."""
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"
