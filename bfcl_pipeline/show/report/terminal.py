"""The V4 table of a run as text for a terminal, in 104 columns or those of the terminal if they are fewer.

Reads `tables/leaderboard.csv` with the standard library alone, so that the command starts fast.
"""

import shutil
import sys
import textwrap

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.rank_note import GROUP_NOTE
from bfcl_pipeline.show.report.terminal_blocks import blocks, fitted_table, not_shown
from bfcl_pipeline.show.report.v4_table import HEADINGS, NAME_COLUMN, SCORES, read_v4_table

WIDTH = 104
"""Columns of the widest line, unless models with long names would look the same then."""

_GROUP_LINE = "\N{MIDDLE DOT} "  # repeated between groups of models that can be told apart


def terminal_table(run: Run, rules: Rules, terminal: int | None = None) -> str:
    """The table of a run under one rule set, with notes and further tables beneath.

    terminal: its columns, into which notes are wrapped; None: a file or a pipe, in which each note is one
    line, and the table has WIDTH columns. If names of 16 columns do not fit, the last scores are left out.
    Raises TableError if `tables/leaderboard.csv` is missing or cannot be read.
    """
    width = WIDTH if terminal is None else terminal
    v4 = read_v4_table(run, rules)
    least = len(HEADINGS) - len(SCORES)
    (head, *rows), left_out = fitted_table(HEADINGS, v4.rows, width, NAME_COLUMN, least)
    wide = max(map(len, (head, *rows)))
    lines = [head, "-" * wide]
    for row, begins in zip(rows, v4.begins_group, strict=True):
        lines += [(_GROUP_LINE * wide)[:wide].rstrip(), row] if begins else [row]
    on_ranks = [*v4.rank_notes, GROUP_NOTE] if any(v4.begins_group) else v4.rank_notes
    notes = [line for note in (*v4.notes, *on_ranks) for line in _wrapped(note, terminal)]
    return "\n".join([*lines, *notes, *not_shown(left_out, width), *blocks(run, rules, width)])


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
    """Prints a table of `terminal_table` to a terminal: headings bold, notes on the V4 table dim."""
    from rich.console import Console  # slow

    console = Console(highlight=False, markup=False, emoji=False)
    before, in_first = "", True
    for line in text.splitlines():
        in_first &= bool(line)
        is_note = in_first and not line[:1].isdigit()
        style = "" if before and not is_note else "dim" if before else "bold"
        console.print(line, style=style, soft_wrap=True)
        before = line
