"""The V4 table of a run as text for a terminal, in 100 columns or those of the terminal if they are fewer.

Reads `tables/leaderboard.csv` with the standard library alone, so that the command starts fast.
"""

import csv
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import GROUP
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.format import NO_RANK, PARTIAL, interval, is_partial, percent
from bfcl_pipeline.report.sample_note import sample_note
from bfcl_pipeline.report.terminal_views import view_lines
from bfcl_pipeline.report.unanswered import unanswered_lines
from bfcl_pipeline.report.web_label import note, score_mark
from bfcl_pipeline.text import cut_middle, plural, text_table

WIDTH = 100
"""Columns of the widest line, unless models with long names would look the same then."""

_NAME = 12  # columns for the names of models before scores are left out

_SCORES = {
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi",
    "web_search": "Web",
    "memory": "Mem",
    "live_relevance": "Relev",
    "irrelevance_all": "Irrel",
}
"""The scores after the overall and its interval, and their headings."""

_HEADINGS = ("#", "Model", "Overall", "95 % int.", *_SCORES.values())

_NUMBERS = (*GROUP, *(f"{name}_ci_{end}" for name in GROUP for end in ("low", "high")), *CATEGORIES)

_Row = Mapping[str, float | None]


def terminal_table(run_dir: Path, rules: Rules, width: int = WIDTH) -> str:
    """The table of a run under one rule set, with notes beneath.

    width: columns of the table. If names of 12 columns do not fit, the last scores are left out. Raises
    TableError if `tables/leaderboard.csv` is missing or cannot be read.
    """
    path = run_dir / "tables" / "leaderboard.csv"
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            leaderboard = list(csv.DictReader(lines))
        texts = [row for row in leaderboard if row.get("rules") == rules.value]
        rows = [{name: float(text[name]) if text[name] else None for name in _NUMBERS} for text in texts]
        cells = [_cells(text, row) for text, row in zip(texts, rows, strict=True)]
        notes = _notes(texts, rows, rules)
        sample = sample_note(_entries(run_dir / "tables" / "categories.csv"), run_dir)
        notes[1:1] = [f"{sample}."] if sample else []
        notes += unanswered_lines(run_dir)
        views = view_lines(run_dir, leaderboard, rules)
    except FileNotFoundError as error:
        raise TableError(
            f"{error.filename}: no such table. Make it first (bfcl-pipeline aggregate {run_dir})."
        ) from error
    except (KeyError, ValueError, csv.Error) as error:
        raise TableError(
            f"{path}: not a leaderboard table ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run_dir})."
        ) from error
    if not rows:
        raise TableError(
            f"{path}: no model has verdicts under {rules.value} rules. "
            "config/README.md says how to score a run again."
        )
    shown = _columns(cells, width)
    if left_out := _HEADINGS[shown:]:
        notes.append(f"Not shown in {width} columns: {', '.join(left_out)}.")
    fitted = _fitted([row[:shown] for row in cells], width)
    table = text_table(_HEADINGS[:shown], fitted, right=set(range(shown)) - {1}).splitlines()
    return "\n".join([table[0], "-" * max(map(len, table)), *table[1:], *notes, *views])


def print_table(run_dir: Path, rules: Rules) -> None:
    """Prints the table of a run and the path of its report. Raises TableError as `terminal_table`."""
    if sys.stdout.isatty():
        print_styled(terminal_table(run_dir, rules, terminal_width()))
    else:
        print(terminal_table(run_dir, rules))
    report = run_dir / "report.html"
    print(f"\nReport: {report}" if report.is_file() else f"\nNo report yet: bfcl-pipeline report {run_dir}")


def terminal_width() -> int:
    """The columns for a table on this terminal."""
    return min(WIDTH, shutil.get_terminal_size().columns)


def print_styled(text: str) -> None:
    """Prints a table of `terminal_table` to a terminal, in colours: scores bold, limits and notes dim."""
    from rich.console import Console
    from rich.text import Text

    head, *lines = text.splitlines()
    overall, limits = (head.index(title) + len(title) for title in _HEADINGS[2:4])
    console = Console(highlight=False)
    console.print(Text(head, "bold"), soft_wrap=True)
    views = lines.index("") if "" in lines else len(lines)
    for line in lines[:views]:
        if not line.split()[0].isdigit():
            console.print(Text(line, "dim"), soft_wrap=True)
            continue
        row = Text(line)
        row.stylize("bold", overall - len("100.00*+"), overall)
        row.stylize("dim", overall, limits)
        console.print(row, soft_wrap=True)
    for place, line in enumerate(lines[views:]):
        console.print(Text(line, "bold" if place == 1 else ""), soft_wrap=True)


def _entries(path: Path) -> list[tuple[str, int, int]]:
    """Of each row of the table `categories`: the category, the entries that ran, those of the release."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            (row["category"], int(row["entries"]), int(row["release_entries"]))
            for row in csv.DictReader(lines)
        ]


def _cells(text: Mapping[str, str], row: _Row) -> list[str]:
    return [
        text["rank"] or NO_RANK,
        # What could steer a terminal is not shown.
        "".join(letter if letter.isprintable() else "?" for letter in text["display_name"]),
        _score(row, "overall", text["web"]),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(_score(row, name, text["web"]) for name in _SCORES),
    ]


def _score(row: _Row, name: str, web: str) -> str:
    return percent(row[name]) + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, web)


def _notes(texts: Sequence[Mapping[str, str]], rows: Sequence[_Row], rules: Rules) -> list[str]:
    notes = [f"Per cent, {rules.value} rules."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    unanswered = sum(int(text["not_answered"]) for text in texts)
    if unanswered:
        notes.append(f"In no score: {plural(unanswered, 'entry', 'entries')} without a verdict.")
    meaning = note(text["web"] for text in texts)
    return [*notes, f"{meaning}."] if meaning else notes


def _columns(rows: Sequence[Sequence[str]], width: int) -> int:
    """The number of columns that fit beside model names; rank, name, overall and interval always stay."""
    least = min(_NAME, max(len(row[1]) for row in rows))
    shown = len(_HEADINGS)
    while shown > len(_HEADINGS) - len(_SCORES) and _room(rows, shown, width) < least:
        shown -= 1
    return shown


def _room(rows: Sequence[Sequence[str]], shown: int, width: int) -> int:
    """The columns left for the names of models beside the other columns of the first `shown`."""
    lines = [_HEADINGS, *rows]
    return width - sum(
        max(len(line[column]) for line in lines) + 2 for column in range(shown) if column != 1
    )


def _fitted(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The rows with model names cut so that a line fits in the width, unless two would become equal."""
    room = max(_room(rows, len(rows[0]), width), 8)
    names = {row[1] for row in rows}
    longest = max(map(len, names))
    while room < longest and len({cut_middle(name, room) for name in names}) < len(names):
        room += 1
    return [[row[0], cut_middle(row[1], room), *row[2:]] for row in rows]
