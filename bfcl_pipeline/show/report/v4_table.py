"""The V4 table of a run as cells of text with notes, for a terminal, LaTeX and Markdown.

Reads the CSV tables with the standard library alone, so that the command that prints the table starts fast.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, categories_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run, run_labels
from bfcl_pipeline.runs.web_label import MARK, note, score_mark
from bfcl_pipeline.show.report.format import (
    MISSING,
    NO_RANK,
    PARTIAL,
    interval,
    is_partial,
    number,
    percent,
)
from bfcl_pipeline.show.report.notes import (
    blame_rows,
    csv_rows,
    name_with_mode,
    own_errata_lines,
    reading_table,
    sample_note,
    server_notes,
    unanswered_lines,
    unread_notes,
    wider_notes,
)
from bfcl_pipeline.show.report.omission_notes import omission_notes
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD, SCORES

GROUP_NOTE = "Below a line: shown to be worse than the first model of the group above it."
"""What the lines between groups of models mean."""

_POINTS = 100  # points in a share of 1


def rank_interval(row: Mapping[str, Any]) -> str:
    """The ranks that a model may have; empty if they are not known."""
    low, high = row["rank_low"], row["rank_high"]
    if low is None or high is None:
        return ""
    return f"{low:.0f}" if low == high else f"{low:.0f}\N{EN DASH}{high:.0f}"


def rank_cell(row: Mapping[str, Any]) -> str:
    """The rank of a model and, in brackets, the ranks that it may have."""
    if row["rank"] is None:
        return NO_RANK
    allowed = rank_interval(row)
    return f"{row['rank']:.0f} ({allowed})" if allowed else f"{row['rank']:.0f}"


def begins_group(rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether a line stands above each row: it is the first of a group, and a group stands before it."""
    groups = [row["rank_group"] for row in rows]
    return [
        place > 0 and group is not None and group != groups[place - 1] for place, group in enumerate(groups)
    ]


def rank_notes(rows: Sequence[Mapping[str, Any]], where: str = "In brackets") -> list[str]:
    """What the intervals of the ranks mean, and the smallest difference that the run could show.

    Args:
        rows: of the table `leaderboard`, with its categories, under one rule set.
        where: the place of the intervals, as the beginning of a sentence.
    """
    ranked = [row for row in rows if row["rank_low"] is not None]
    if not ranked:
        return []
    notes = [f"{where}: the ranks that the verdicts allow, at 95 % for all models together."]
    asked = {tuple(name for name in categories_of("overall") if row[name] is not None) for row in ranked}
    if len(asked) > 1:
        notes.append("Ranks compare the overall as shown: categories that a model did not run count 0.")
    points = [row["detectable"] * _POINTS for row in ranked if row["detectable"] is not None]
    return [*notes, _detectable(points)] if points else notes


def _detectable(points: Sequence[float]) -> str:
    """The smallest difference that can be shown between neighbours in rank."""
    found = f"{median(points):.2f} points"
    if len(points) > 1:
        found += f" (median of neighbours; {min(points):.2f} to {max(points):.2f})"
    return f"Smallest overall difference that this run could show (80 % power): {found}."


PUBLISHED = "P"
"""Stands in the place of the rank."""

Published = Mapping[str, Any]
"""A row of the table `published` as texts."""


def published_rows(run: Run) -> list[Published]:
    """The rows of the table `published`; none if the run has no such table. Raises KeyError, ValueError."""
    return [*csv_rows(run.csv_table("published"))]


Cells = TypeVar("Cells")


def with_published(
    rows: Iterable[Cells],
    overall: Iterable[float | None],
    published: Iterable[Published],
    names: Collection[str],
    made: Callable[[Published], Cells],
) -> list[Cells]:
    """The rows of a table with those of published scores among them, by overall and the last of equals.

    Args:
        rows: of the run's models, in the order of their ranks.
        overall: their overall scores; rows without one stand last.
        published: the published rows; those without any score that is shown are left out.
        names: the columns of these scores.
        made: the row of a published one.
    """
    found = [(-1.0 if score is None else score, row) for score, row in zip(overall, rows, strict=True)]
    for one in published:
        if any(number(one.get(name)) is not None for name in names):
            known = number(one["overall"])
            score = -1.0 if known is None else known
            place = len(found) if known is None else sum(other >= score for other, _ in found)
            found.insert(place, (score, made(one)))
    return [row for _, row in found]


def published_cells(one: Published, headings: Sequence[str], scores: Mapping[str, str]) -> list[str]:
    """The cells of a published row; empty beneath other headings than those of `scores`, by column."""
    known = {"#": PUBLISHED, "Model": printable(one["display_name"])}
    known |= {heading: percent(number(one.get(name))) for name, heading in scores.items()}
    return [known.get(heading, "") for heading in headings]


def published_notes(published: Sequence[Mapping[str, object]]) -> list[str]:
    """A sentence for each file of published scores."""
    files: dict[tuple[str, str, str], int] = {}
    for row in published:
        key = (str(row["file"]), str(row["date"]), str(row["source"]))
        files[key] = files.get(key, 0) + 1
    return [
        f"{PUBLISHED}: {plural(count, 'published row', 'published rows')}, not of this run and in no rank "
        f"or comparison: {printable(file)} of {date}, {printable(source)}."
        for (file, date, source), count in files.items()
    ]


FIRST = ("#", "Model", "Overall", "95 % int.")
"""The headings of the columns that are always there; beneath the first is the rank with its interval."""

HEADINGS = (*FIRST, *(column.short for column in LEADERBOARD.short))
"""The headings of all columns."""

_SCORES = {"overall": "Overall"} | {
    column.name: column.short for column in LEADERBOARD.short if column.name in SCORES
}

NAME_COLUMN = 1
"""The column with the names of models; the others are aligned to the right."""


@dataclass(frozen=True, slots=True)
class V4Table:
    """The V4 table of a run under one rule set."""

    rows: Sequence[Sequence[str]]  # a cell for each of HEADINGS; models in order of their ranks
    begins_group: Sequence[bool]  # of each row: whether a line stands above it
    notes: Sequence[str]  # sentences about marks, samples and missing answers
    rank_notes: Sequence[str]  # sentences about ranks


def read_v4_table(run: Run, rules: Rules, models: Collection[str] = ()) -> V4Table:
    """The table of a run under one rule set.

    models: the models in the table; all if empty. Raises TableError if `tables/leaderboard.csv` is missing
    or cannot be read, or has none of the models.
    """
    path, categories = run.csv_table("leaderboard"), run.csv_table("categories")
    for needed in (path, categories):
        if not needed.is_file():
            raise TableError(
                f"{needed}: no such table. Make it first (bfcl-pipeline aggregate {run.folder})."
            )
    with reading_table(run, "leaderboard"):
        every = map(LEADERBOARD.typed, csv_rows(path, rules=rules))
        rows = [row for row in every if not models or row["model"] in models]
        cells = list(map(_cells, rows))
        omitted = csv_rows(run.csv_table("omitted"), rules=rules)
        names = {row["model"]: row["display_name"] for row in rows}
        notes = [*_notes(rows, rules), *omission_notes(omitted, names)]
        asked = csv_rows(categories)
        counts = ((row["category"], int(row["entries"]), int(row["release_entries"])) for row in asked)
        sample = sample_note(counts, run)
        notes[1:1] = [f"{sample}."] if sample else []
        of_overall = csv_rows(run.csv_table("intervals"), score="overall", rules=rules)
        notes += wider_notes(row for row in of_overall if row["model"] in names)
        notes += unanswered_lines(run)
        unread = csv_rows(run.csv_table("unread_calls"))
        notes += unread_notes(row for row in unread if not models or row["model"] in models)
        blamed = blame_rows(run)[0]
        notes += server_notes(row for row in blamed if not models or row["model"] in models)
        notes += own_errata_lines(run) if rules is Rules.VERIFIED else []
        published = published_rows(run)
        overall = [row["overall"] for row in rows]
        shown = with_published(
            cells, overall, published, _SCORES, lambda one: published_cells(one, HEADINGS, _SCORES)
        )
        notes += published_notes(published)
    if not rows:
        raise TableError(
            f"{path}: no model has verdicts under {rules.value} rules. "
            "config/README.md says how to score a run again."
        )
    begins = iter(begins_group(rows))
    above = [row[0] != PUBLISHED and next(begins) for row in shown]
    return V4Table(shown, above, notes, rank_notes(rows))


def joined_v4_table(runs: Sequence[Run], rules: Rules, models: Collection[str] = ()) -> V4Table:
    """The tables of several runs as one, the highest overall first; that of one run as it is.

    A name that occurs twice has the label of its run. Arguments and errors as of `read_v4_table`.
    """
    tables = [read_v4_table(run, rules, models) for run in runs]
    if len(tables) == 1:
        return tables[0]
    labelled = list(zip(map(printable, run_labels(runs)), tables, strict=True))
    each = [(label, row) for label, table in labelled for row in table.rows]
    names = Counter(row[NAME_COLUMN] for _, row in each if row[0] != PUBLISHED)
    rows, place = list[tuple[str, ...]](), 0
    for label, (rank, name, *cells) in sorted(each, key=lambda one: -_shown_score(one[1])):
        if rank != PUBLISHED:
            place += 1
            rank = NO_RANK if cells[0] == MISSING else str(place)
            name = f"{label}:{name}" if names[name] > 1 else name
        rows.append((rank, name, *cells))
    rows = list(dict.fromkeys(rows))  # several runs may have the same published rows
    shared = [note for note in tables[0].notes if all(note in table.notes for table in tables)]
    notes = [f"{label}: {note}" for label, table in labelled for note in table.notes if note not in shared]
    return V4Table(rows, [False] * len(rows), [*shared, *notes], [_NO_RANKS])


_NO_RANKS = "#: by the overall as shown. Which differences between runs are real: `bfcl-pipeline compare`."


def _shown_score(row: Sequence[str]) -> float:
    """The overall score of a row as it is shown; -1 without one."""
    text = row[HEADINGS.index("Overall")].rstrip(PARTIAL + MARK)
    return -1.0 if text == MISSING else float(text)


def _cells(row: Mapping[str, Any]) -> list[str]:
    name = name_with_mode(row["display_name"], row["mode"])
    return [
        rank_cell(row),
        "".join(letter if letter.isprintable() else "?" for letter in name),  # what could steer a terminal
        score_cell(row, "overall"),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(
            score_cell(row, column.name) if column.name in SCORES else column.shown(row).text
            for column in LEADERBOARD.short
        ),
    ]


def score_cell(row: Mapping[str, Any], name: str) -> str:
    """A score of a row of the leaderboard as text, with its marks."""
    marks = (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, row["web"])
    return percent(number(row[name])) + marks


def _notes(rows: Sequence[Mapping[str, Any]], rules: Rules) -> list[str]:
    notes = [f"Per cent, {rules.value} rules; intervals count entries of one scenario together."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    meaning = note(row["web"] for row in rows)
    return [*notes, f"{meaning}."] if meaning else notes
