"""The V4 table of a run as text for a terminal, in 104 columns or those of the terminal if they are fewer.

Reads `tables/leaderboard.csv` with the standard library alone, so that the command starts fast.
"""

import csv
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import cut_middle, printable, text_table
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import score_mark
from bfcl_pipeline.show.report.format import PARTIAL, interval, is_partial, percent
from bfcl_pipeline.show.report.notes import csv_rows
from bfcl_pipeline.show.report.rank_note import GROUP_NOTE
from bfcl_pipeline.show.report.terminal_executable import executable_lines
from bfcl_pipeline.show.report.v4_table import FIRST_NOTE, HEADINGS, NAME_COLUMN, SCORES, read_v4_table

_HEADINGS = ("Trials of", "k", "Mean", "95 % int.", "Std", "Pass^k", "Flaky")

_TRIAL_NAME = 24  # columns for the names of models, so that a line fits in 80

_NOTE = "Pass^k: all of k repetitions are right. Flaky: entries whose verdict differs."


def trial_lines(run: Run, rules: Rules) -> list[str]:
    """An empty line, then one line for each model with several trials; nothing if there is none.

    Raises TableError if a table is there and cannot be read.
    """
    path = run.csv_table("trials")
    try:
        trials = _overall(path, rules)
        ranked = csv_rows(path.with_name("leaderboard.csv")) if trials else []
        all_right = {
            (row["model"], row["k"]): row["pass_k"] for row in _overall(path.with_name("pass_k.csv"), rules)
        }
        lines = [
            [
                _name(row["model"], ranked),
                row["trials"],
                _percent(row["mean"]) + _marks(row["model"], ranked),
                interval(_number(row.get("ci_low")), _number(row.get("ci_high"))) or "-",
                _percent(row["std"]),
                _percent(all_right.get((row["model"], row["trials"]))),
                f"{int(row['flaky']):,}" if row.get("flaky") else "-",
            ]
            for row in trials
        ]
    except (OSError, KeyError, ValueError, csv.Error) as error:
        raise TableError(
            f"{path}: not a table of trials ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run.folder})."
        ) from error
    if not lines:
        return []
    table = text_table(_HEADINGS, lines, right=range(1, len(_HEADINGS))).splitlines()
    return ["", *table, _NOTE]


def _overall(path: Path, rules: Rules) -> list[dict[str, str]]:
    """The rows of a table on the overall score under one rule set."""
    return [row for row in csv_rows(path) if (row["rules"], row["score"]) == (rules.value, "overall")]


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _percent(text: str | None) -> str:
    return percent(_number(text)) if text else "-"


def _name(model: str, ranked: Sequence[Mapping[str, str]]) -> str:
    """The name of a model as the leaderboard shows its first trial."""
    shown = (row["display_name"] for row in ranked if row["model"] == model)
    return cut_middle(printable(next(shown, model)), _TRIAL_NAME)


def _marks(model: str, ranked: Sequence[Mapping[str, str]]) -> str:
    """The marks that the overall score of any of the trials of a model has."""
    first = len(model) + 1
    rows = [
        {name: value or None for name, value in row.items()}
        for row in ranked
        if row["model"] == model
        or (row["model"].startswith(f"{model}~") and row["model"][first:].isdigit())
    ]
    partial = PARTIAL if any(is_partial(row, "overall") for row in rows) else ""
    return partial + max((score_mark(row, "overall", row["web"]) for row in rows), default="")


WIDTH = 104
"""Columns of the widest line, unless models with long names would look the same then."""

_GROUP_LINE = "\N{MIDDLE DOT} "  # repeated between groups of models that can be told apart

_NAME = 16  # columns for the names of models before scores are left out


def terminal_table(run: Run, rules: Rules, terminal: int | None = None) -> str:
    """The table of a run under one rule set, with notes beneath.

    terminal: its columns, into which notes are wrapped; None: a file or a pipe, in which each note is one
    line, and the table has WIDTH columns. If names of 16 columns do not fit, the last scores are left out.
    Raises TableError if `tables/leaderboard.csv` is missing or cannot be read.
    """
    width = WIDTH if terminal is None else terminal
    v4 = read_v4_table(run, rules)
    headings, cells = _aligned_ranks(v4.rows)
    shown = _columns(cells, width)
    on_ranks = [*v4.rank_notes, GROUP_NOTE] if any(v4.begins_group) else v4.rank_notes
    notes = [line for note in (*v4.notes, *on_ranks) for line in _wrapped(note, terminal)]
    if left_out := HEADINGS[shown:]:
        notes.append(f"Not shown in {width} columns: {', '.join(left_out)}.")
    fitted = _fitted([row[:shown] for row in cells], width)
    right = set(range(shown)) - {NAME_COLUMN}
    head, *rows = text_table(headings[:shown], fitted, right=right).splitlines()
    wide = max(map(len, (head, *rows)))
    lines = [head, "-" * wide]
    for row, begins in zip(rows, v4.begins_group, strict=True):
        lines += [(_GROUP_LINE * wide)[:wide].rstrip(), row] if begins else [row]
    beneath = [*trial_lines(run, rules), *v4.views, *executable_lines(run, rules, width)]
    return "\n".join([*lines, *notes, *beneath])


def _aligned_ranks(cells: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """The headings and rows with all ranks in one column and their intervals in the next."""
    ranks = [row[0].partition(" ") for row in cells]
    wide = max(len(f"{space}{allowed}") for _, space, allowed in ranks)
    rows = [
        [f"{rank}{f'{space}{allowed}':<{wide}}", *row[1:]]
        for (rank, space, allowed), row in zip(ranks, cells, strict=True)
    ]
    return [f"{HEADINGS[0]}{' ' * wide}", *HEADINGS[1:]], rows


def _wrapped(note: str, width: int | None) -> list[str]:
    """A note in lines of at most `width` columns, if its words allow."""
    if width is None or len(note) <= width:
        return [note]
    return textwrap.wrap(
        note, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def print_table(run: Run, rules: Rules) -> None:
    """Prints the table of a run and the path of its report. Raises TableError as `terminal_table`."""
    if sys.stdout.isatty():
        print_styled(terminal_table(run, rules, terminal_width()))
    else:
        print(terminal_table(run, rules))
    report = run.folder / "report.html"
    print(
        f"\nReport: {report}" if report.is_file() else f"\nNo report yet: bfcl-pipeline report {run.folder}"
    )


def terminal_width() -> int:
    """The columns for a table on this terminal."""
    return min(WIDTH, shutil.get_terminal_size().columns)


def print_styled(text: str) -> None:
    """Prints a table of `terminal_table` to a terminal, in colours: scores bold, limits and notes dim."""
    from rich.console import Console
    from rich.text import Text

    head, *lines = text.splitlines()
    overall, limits = (head.index(title) + len(title) for title in HEADINGS[2:4])
    console = Console(highlight=False)
    console.print(Text(head, "bold"), soft_wrap=True)
    views = lines.index("") if "" in lines else len(lines)
    notes = next((at for at, line in enumerate(lines) if line.startswith(FIRST_NOTE)), views)
    for place, line in enumerate(lines[:views]):
        if place >= notes or not line.split()[0].isdigit():
            console.print(Text(line, "dim"), soft_wrap=True)
            continue
        row = Text(line)
        row.stylize("bold", overall - len("100.00*+"), overall)
        row.stylize("dim", overall, limits)
        console.print(row, soft_wrap=True)
    for before, line in pairwise(["", *lines[views:]]):
        console.print(Text(line, "" if before else "bold"), soft_wrap=True)


def _columns(rows: Sequence[Sequence[str]], width: int) -> int:
    """The number of columns that fit beside model names; rank, name, overall and interval always stay."""
    least = min(_NAME, max(len(row[1]) for row in rows))
    shown = len(HEADINGS)
    while shown > len(HEADINGS) - len(SCORES) and _room(rows, shown, width) < least:
        shown -= 1
    return shown


def _room(rows: Sequence[Sequence[str]], shown: int, width: int) -> int:
    """The columns left for the names of models beside the other columns of the first `shown`."""
    lines = [HEADINGS, *rows]
    return width - sum(
        max(len(line[column]) for line in lines) + 2 for column in range(shown) if column != NAME_COLUMN
    )


def _fitted(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The rows with model names cut so that a line fits in the width, unless two would become equal."""
    room = max(_room(rows, len(rows[0]), width), 8)
    names = {row[1] for row in rows}
    longest = max(map(len, names))
    while room < longest and len({cut_middle(name, room) for name in names}) < len(names):
        room += 1
    return [[row[0], cut_middle(row[1], room), *row[2:]] for row in rows]
