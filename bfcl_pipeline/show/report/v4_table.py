"""The V4 table of a run as cells of text with notes, for a terminal, LaTeX and Markdown.

Reads the CSV tables with the standard library alone, so that the command that prints the table starts fast.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import note, score_mark
from bfcl_pipeline.show.report.format import PARTIAL, interval, is_partial, number, percent
from bfcl_pipeline.show.report.notes import (
    csv_rows,
    name_with_mode,
    own_errata_lines,
    reading_table,
    sample_note,
    server_notes,
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
        texts = [row for row in csv_rows(path) if row["rules"] == rules]
        texts = [row for row in texts if not models or row["model"] in models]
        rows = [_numbers(text) for text in texts]
        cells = [_cells(text, row) for text, row in zip(texts, rows, strict=True)]
        notes = _notes(texts, rows, rules)
        asked = csv_rows(categories)
        counts = ((row["category"], int(row["entries"]), int(row["release_entries"])) for row in asked)
        sample = sample_note(counts, run)
        notes[1:1] = [f"{sample}."] if sample else []
        notes += unanswered_lines(run)
        unread = csv_rows(run.csv_table("unread_calls"))
        notes += unread_notes(row for row in unread if not models or row["model"] in models)
        blamed = csv_rows(run.folder / "blame.csv")
        notes += server_notes(row for row in blamed if not models or row["model"] in models)
        notes += own_errata_lines(run) if rules is Rules.VERIFIED else []
        published = published_rows(run)
        overall = [row["overall"] for row in rows]
        shown = with_published(cells, overall, published, HEADINGS, {"overall": "Overall", **SCORES})
        notes += published_notes(published)
    if not rows:
        raise TableError(
            f"{path}: no model has verdicts under {rules.value} rules. "
            "config/README.md says how to score a run again."
        )
    begins = iter(begins_group(rows))
    above = [row[0] != PUBLISHED and next(begins) for row in shown]
    return V4Table(shown, above, notes, rank_notes(rows))


def _numbers(text: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: number(text[name]) for name in (*_NUMBERS, *RANK_COLUMNS)}


def _cells(text: Mapping[str, Any], row: Mapping[str, float | None]) -> list[str]:
    return [
        rank_cell(row),
        # What could steer a terminal is not shown.
        "".join(
            letter if letter.isprintable() else "?"
            for letter in name_with_mode(text["display_name"], text["mode"])
        ),
        score_cell(text, "overall"),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(score_cell(text, name) for name in SCORES),
    ]


def score_cell(row: Mapping[str, Any], name: str) -> str:
    """A score of a row of the leaderboard as text, with its marks."""
    marks = (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, row["web"])
    return percent(number(row[name])) + marks


def _notes(
    texts: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, float | None]], rules: Rules
) -> list[str]:
    notes = [f"Per cent, {rules.value} rules; intervals count entries of one scenario together."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    unanswered = sum(int(text["not_answered"]) for text in texts)
    if unanswered:
        notes.append(f"In no score: {plural(unanswered, 'entry', 'entries')} without a verdict.")
    meaning = note(text["web"] for text in texts)
    return [*notes, f"{meaning}."] if meaning else notes
