"""The V4 table of a run as cells of text with notes, for a terminal, LaTeX and Markdown.

Reads the CSV tables with the standard library alone, so that the command that prints the table starts fast.
"""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import cut_middle, plural, printable, text_table
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import note, score_mark
from bfcl_pipeline.show.report.format import MISSING, PARTIAL, interval, is_partial, percent
from bfcl_pipeline.show.report.notes import (
    csv_rows,
    name_with_mode,
    own_errata_lines,
    sample_note,
    unanswered_lines,
    unread_notes,
)
from bfcl_pipeline.show.report.published_rows import (
    PUBLISHED,
    published_notes,
    published_rows,
    with_published,
)
from bfcl_pipeline.show.report.rank_note import RANK_COLUMNS, begins_group, rank_cell, rank_notes

MANY_MODELS = 10
"""With more models than this, only the ceilings are printed."""

_NAME = 40  # columns for the names of models


def view_lines(run: Run, leaderboard: Sequence[Mapping[str, str]], rules: Rules) -> list[str]:
    """An empty line, then the overall score of each model and the ceiling by rule set.

    Nothing if the run has one rule set, or no model has a score.

    Args:
        leaderboard: the rows of that table, of all rule sets.
        rules: the rule set in whose ranks the models are listed.

    Raises KeyError, ValueError or csv.Error if a table cannot be read.
    """
    views = [view for view in Rules if any(row["rules"] == view.value for row in leaderboard)]
    if len(views) < 2 or not any(row["overall"] for row in leaderboard):
        return []
    overall = {(row["model"], row["rules"]): _overall(row) for row in leaderboard}
    shown = [row for row in leaderboard if row["rules"] == rules.value]
    lines = [
        [
            cut_middle(printable(row["display_name"]), _NAME),
            *(overall.get((row["model"], view.value), MISSING) for view in views),
        ]
        for row in shown
        if len(shown) <= MANY_MODELS
    ]
    ceilings = {
        row["rules"]: row["ceiling"]
        for row in csv_rows(run.csv_table("ceilings"))
        if row["score"] == "overall"
    }
    if ceilings:
        lines.append(["Ceiling", *(_percent(ceilings.get(view.value)) for view in views)])
    headings = ["Overall by rules", *(view.value.capitalize() for view in views)]
    table = text_table(headings, lines, right=range(1, len(headings))).splitlines() if lines else []
    own = [] if rules is Rules.VERIFIED else own_errata_lines(run)  # else among the notes
    return ["", *table, *_verified_note(csv_rows(run.csv_table("rules"))), *own]


def _overall(text: Mapping[str, str]) -> str:
    """The overall score of a row of the leaderboard, with its marks."""
    row = {name: value or None for name, value in text.items()}
    marks = (PARTIAL if is_partial(row, "overall") else "") + score_mark(row, "overall", row["web"])
    return _percent(row["overall"]) + marks


def _percent(share: str | None) -> str:
    return percent(float(share) if share else None)


def _verified_note(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """How many entries of scored categories the verified rules mend and leave out; nothing if none."""
    counts = {"mended": dict[str, int](), "left_out": dict[str, int]()}
    for row in (row for row in rows if CATEGORIES[row["category"]].scored):
        for name, by_category in counts.items():  # the largest, if models have different samples
            by_category[row["category"]] = max(by_category.get(row["category"], 0), int(row[name]))
    mended, left_out = (sum(by_category.values()) for by_category in counts.values())
    if not mended and not left_out:
        return []
    entries = plural(mended, "entry", "entries")
    return [f"Verified: corrected rules; {entries} mended, {left_out:,} left out (docs/errata.md)."]


SCORES = {
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi",
    "web_search": "Web",
    "memory": "Mem",
    "live_relevance": "Relev",
    "irrelevance_all": "Irrel",
}
"""The scores after the overall and its interval, and their headings."""

HEADINGS = ("#", "Model", "Overall", "95 % int.", *SCORES.values())
"""The headings; beneath the first is the rank with its interval."""

_NUMBERS = (*GROUP, *(f"{name}_ci_{end}" for name in GROUP for end in ("low", "high")), *V4_CATEGORIES)

NAME_COLUMN = 1
"""The column with the names of models; the others are aligned to the right."""

FIRST_NOTE = "Per cent,"
"""How the first of the notes begins, of every table."""

_Row = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class V4Table:
    """The V4 table of a run under one rule set."""

    rows: Sequence[Sequence[str]]  # a cell for each of HEADINGS; models in order of their ranks
    begins_group: Sequence[bool]  # of each row: whether a line stands above it
    notes: Sequence[str]  # sentences about marks, samples and missing answers
    rank_notes: Sequence[str]  # sentences about ranks
    views: Sequence[str]  # lines of a plain-text table with the overall scores under all rule sets


def read_v4_table(run: Run, rules: Rules, models: Collection[str] = ()) -> V4Table:
    """The table of a run under one rule set.

    models: the models in the table; all if empty. Raises TableError if `tables/leaderboard.csv` is missing
    or cannot be read, or has none of the models.
    """
    path = run.csv_table("leaderboard")
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            leaderboard = list(csv.DictReader(lines))
        ranked = [row for row in leaderboard if row.get("rules") == rules.value]
        texts = [row for row in ranked if not models or row["model"] in models]
        rows = [_numbers(text) for text in texts]
        cells = [_cells(text, row) for text, row in zip(texts, rows, strict=True)]
        notes = _notes(texts, rows, rules)
        sample = sample_note(_entries(run.csv_table("categories")), run)
        notes[1:1] = [f"{sample}."] if sample else []
        notes += unanswered_lines(run)
        unread = csv_rows(run.csv_table("unread_calls"))
        notes += unread_notes(row for row in unread if not models or row["model"] in models)
        notes += own_errata_lines(run) if rules is Rules.VERIFIED else []
        published = published_rows(run)
        overall = [row["overall"] for row in rows]
        shown = with_published(cells, overall, published, HEADINGS, {"overall": "Overall", **SCORES})
        notes += published_notes(published)
        views = view_lines(run, leaderboard, rules)
    except FileNotFoundError as error:
        raise TableError(
            f"{error.filename}: no such table. Make it first (bfcl-pipeline aggregate {run.folder})."
        ) from error
    except (KeyError, ValueError, csv.Error) as error:
        raise TableError(
            f"{path}: not a leaderboard table ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run.folder})."
        ) from error
    if not rows:
        raise TableError(
            f"{path}: no model has verdicts under {rules.value} rules. "
            "config/README.md says how to score a run again."
        )
    begins = iter(begins_group(rows))
    above = [row[0] != PUBLISHED and next(begins) for row in shown]
    return V4Table(shown, above, notes, rank_notes(rows), views)


def _entries(path: Path) -> list[tuple[str, int, int]]:
    """Of each row of the table `categories`: the category, the entries that ran, those of the release."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            (row["category"], int(row["entries"]), int(row["release_entries"]))
            for row in csv.DictReader(lines)
        ]


def _numbers(text: Mapping[str, str]) -> dict[str, float | None]:
    return {name: float(text[name]) if text[name] else None for name in (*_NUMBERS, *RANK_COLUMNS)}


def _cells(text: Mapping[str, str], row: _Row) -> list[str]:
    return [
        rank_cell(row),
        # What could steer a terminal is not shown.
        "".join(
            letter if letter.isprintable() else "?"
            for letter in name_with_mode(text["display_name"], text.get("mode"))
        ),
        _score(row, "overall", text["web"]),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(_score(row, name, text["web"]) for name in SCORES),
    ]


def _score(row: _Row, name: str, web: str) -> str:
    return percent(row[name]) + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, web)


def _notes(texts: Sequence[Mapping[str, str]], rows: Sequence[_Row], rules: Rules) -> list[str]:
    notes = [f"{FIRST_NOTE} {rules.value} rules; intervals count entries of one scenario together."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    unanswered = sum(int(text["not_answered"]) for text in texts)
    if unanswered:
        notes.append(f"In no score: {plural(unanswered, 'entry', 'entries')} without a verdict.")
    meaning = note(text["web"] for text in texts)
    return [*notes, f"{meaning}."] if meaning else notes
