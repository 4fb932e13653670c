"""The V4 table of a run as text for a terminal, in 104 columns or those of the terminal if they are fewer.

Reads `tables/leaderboard.csv` with the standard library alone, so that the command starts fast.
"""

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.base.text import fitted_table, not_shown, plural, printable
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import mark, note, score_mark
from bfcl_pipeline.show.report.format import (
    MISSING,
    PARTIAL,
    interval,
    is_partial,
    number,
    percent,
)
from bfcl_pipeline.show.report.notes import (
    BIAS,
    csv_rows,
    is_biased,
    own_errata_lines,
    reading_table,
    unlisted_note,
)
from bfcl_pipeline.show.report.tables.corrections import CORRECTIONS
from bfcl_pipeline.show.report.tables.executable import EXECUTABLE_SCORES, OVERALL_OF_2024, UNRANKED
from bfcl_pipeline.show.report.v4_table import (
    FIRST,
    GROUP_NOTE,
    HEADINGS,
    NAME_COLUMN,
    joined_v4_table,
    score_cell,
)

MANY_MODELS = 10
"""With more models than this, only the ceilings are printed by rules."""


def blocks(run: Run, rules: Rules, width: int) -> list[str]:
    """All lines beneath the V4 table. Raises TableError if a table is there and cannot be read."""
    with reading_table(run, "trials"):
        trials = _trials(run, rules, width)
    with reading_table(run, "rules"):
        views = _views(run, rules, width)
    with reading_table(run, "executable"):
        return [*trials, *views, *_executable(run, rules, width)]


def _block(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int, notes: Sequence[str]
) -> list[str]:
    lines, left_out = fitted_table(headings, rows, width) if rows else ([], [])
    return ["", *lines, *notes, *not_shown(left_out, width)]


def _trials(run: Run, rules: Rules, width: int) -> list[str]:
    """A row for each model with several trials, with the marks of the overall of any of them."""
    trials, pass_k = (
        csv_rows(run.csv_table(name), rules=rules, score="overall") for name in ("trials", "pass_k")
    )
    all_right = {(row["model"], row["k"]): row["pass_k"] for row in pass_k}
    ranked = csv_rows(run.csv_table("leaderboard")) if trials else []
    rows = []
    for row in trials:
        own = [one for one in ranked if trial_of(one["model"]).model == row["model"]]
        names = [one["display_name"] for one in own if one["model"] == row["model"]]
        partial = PARTIAL if any(is_partial(one, "overall") for one in own) else ""
        marks = max((score_mark(one, "overall", one["web"]) for one in own), default="")
        limits = interval(number(row["ci_low"]), number(row["ci_high"])) or "-"
        std, right = (
            "-" if share is None else percent(number(share))
            for share in (row["std"], all_right.get((row["model"], row["trials"])))
        )
        cells = [row["trials"], percent(number(row["mean"])) + partial + marks, limits, std, right]
        flaky = "-" if row["flaky"] is None else f"{int(row['flaky']):,}"
        rows.append([printable(names[0] if names else row["model"]), *cells, flaky])
    headings = ("Trials of", "k", "Mean", "95 % int.", "Std", "Pass^k", "Flaky")
    notes = ["Pass^k: all of k repetitions are right. Flaky: entries whose verdict differs."]
    return _block(headings, rows, width, notes) if rows else []


def _views(run: Run, rules: Rules, width: int) -> list[str]:
    """The overall score of each model and the ceiling by rule set.

    Nothing if the run has one rule set, or no model has a score. Models are in the ranks of `rules`.
    """
    leaderboard = csv_rows(run.csv_table("leaderboard"))
    views = [view for view in Rules if any(row["rules"] == view for row in leaderboard)]
    if len(views) < 2 or not any(row["overall"] for row in leaderboard):
        return []
    overall = {(row["model"], row["rules"]): score_cell(row, "overall") for row in leaderboard}
    corrections = {row["model"]: row for row in csv_rows(run.csv_table("corrections"), score="overall")}
    shown = [row for row in leaderboard if row["rules"] == rules]
    rows = [
        [
            printable(row["display_name"]),
            *(overall.get((row["model"], view.value), MISSING) for view in views),
            *_corrected(corrections.get(row["model"])),
        ]
        for row in shown
        if len(shown) <= MANY_MODELS
    ]
    of_faithful = csv_rows(run.csv_table("ceilings"), score="overall")
    ceilings = {row["rules"]: number(row["ceiling"]) for row in of_faithful}
    if ceilings:
        rows.append(["Ceiling", *(percent(ceilings.get(view.value)) for view in views), *_corrected(None)])
    headings = [
        "Overall by rules",
        *(view.value.capitalize() for view in views),
        *(column.short for column in CORRECTIONS.short),
    ]
    own = [] if rules is Rules.VERIFIED else own_errata_lines(run)  # else among the notes
    unlisted = list(filter(None, map(unlisted_note, of_faithful[:1])))
    notes = [*_verified_note(csv_rows(run.csv_table("rules"))), *unlisted, *own]
    return _block(headings, rows, width, notes)


def _corrected(row: Mapping[str, Any] | None) -> list[str]:
    """The columns of the table `corrections` of a row as texts."""
    columns = CORRECTIONS.short
    return [column.shown(CORRECTIONS.typed(row)).text if row else MISSING for column in columns]


def _verified_note(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many entries of the overall the verified rules mend and leave out; nothing if none."""
    counts = {"mended": dict[str, int](), "left_out": dict[str, int]()}
    for row in (row for row in rows if row["category"] in categories_of("overall")):
        for name, by_category in counts.items():  # the largest, if models have different samples
            by_category[row["category"]] = max(by_category.get(row["category"], 0), int(row[name]))
    mended, left_out = (sum(by_category.values()) for by_category in counts.values())
    if not mended and not left_out:
        return []
    entries = plural(mended, "entry", "entries")
    return [
        f"Verified: corrected rules; {entries} mended, {left_out:,} left out (docs/errata.md).",
        "Rules, truths, left out: points of each. Undisputed: without disputed ones.",
    ]


def _executable(run: Run, rules: Rules, width: int) -> list[str]:
    """A row for each model with categories of V1."""
    table = csv_rows(run.csv_table("executable"), rules=rules)
    shown = {column.name: column.short for column in EXECUTABLE_SCORES.short}
    rows = []
    for row in table:
        cells = {name: percent(number(row[name])) for name in ("exec_summary", *shown)}
        marked = {
            name: cell + mark(row["web"])
            for name, cell in cells.items()
            if cell != MISSING and name not in UNRANKED
        }
        summary, *scores = (cells | marked).values()
        limits = interval(number(row["exec_summary_ci_low"]), number(row["exec_summary_ci_high"])) or "-"
        rows.append([printable(row["display_name"]), summary, limits, *scores])
    notes = ["Not part of V4. Summary: mean of (Python + REST) / 2, Mult, Par and ParMult."]
    if any(row[OVERALL_OF_2024] for row in table):
        notes.append("The overall by the formula of August 2024 is in tables/executable.csv.")
    missing, unrecorded = (
        sum(int(row[name]) for row in table) for name in ("not_answered", "not_recorded")
    )
    if missing:
        of_record = f", of which {unrecorded:,} not recorded" if unrecorded else ""
        notes.append(f"In no score: {plural(missing, 'entry', 'entries')} without a verdict{of_record}.")
    notes += [BIAS] if is_biased(table) else []
    meaning = note(row["web"] for row in table)
    headings = ("Executable (V1)", "Summary", "95 % int.", *shown.values())
    return _block(headings, rows, width, [*notes, *([f"{meaning}."] if meaning else [])]) if rows else []


WIDTH = 104
"""Columns of the widest line, unless models with long names would look the same then."""

_GROUP_LINE = "\N{MIDDLE DOT} "  # repeated between groups of models that can be told apart


def terminal_table(run: Run, rules: Rules, terminal: int | None = None, beside: Sequence[Run] = ()) -> str:
    """The table of a run under one rule set, with notes and further tables beneath.

    beside: further runs in the same table, which then has no further tables beneath.
    terminal: its columns, into which notes are wrapped; None: a file or a pipe, in which each note is one
    line, and the table has WIDTH columns. If names of 16 columns do not fit, the last scores are left out.
    Raises TableError if `tables/leaderboard.csv` is missing or cannot be read.
    """
    width = WIDTH if terminal is None else terminal
    v4 = joined_v4_table([run, *beside], rules)
    (head, *rows), left_out = fitted_table(HEADINGS, v4.rows, width, NAME_COLUMN, len(FIRST))
    wide = max(map(len, (head, *rows)))
    lines = [head, "-" * wide]
    for row, begins in zip(rows, v4.begins_group, strict=True):
        lines += [(_GROUP_LINE * wide)[:wide].rstrip(), row] if begins else [row]
    on_ranks = [*v4.rank_notes, GROUP_NOTE] if any(v4.begins_group) else v4.rank_notes
    notes = [line for note in (*v4.notes, *on_ranks) for line in _wrapped(note, terminal)]
    below = [] if beside else blocks(run, rules, width)
    return "\n".join([*lines, *notes, *not_shown(left_out, width), *below])


def _wrapped(note: str, width: int | None) -> list[str]:
    """A note in lines of at most `width` columns, if its words allow."""
    if width is None or len(note) <= width:
        return [note]
    return textwrap.wrap(
        note, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def print_table(run: Run, rules: Rules, beside: Sequence[Run] = ()) -> None:
    """Prints the table of one run, and the path of its report, or of several: as of `terminal_table`."""
    if sys.stdout.isatty():
        print_styled(terminal_table(run, rules, terminal_width(), beside))
    else:
        print(terminal_table(run, rules, beside=beside))
    if beside or run.source != run.folder:  # it is in an archive
        return
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
