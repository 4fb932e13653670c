"""The overall scores under the three rule sets as text for a terminal, with their ceilings.

Reads the CSV tables with the standard library alone, as `report.terminal` does.
"""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.base.text import cut_middle, plural, printable, text_table
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import score_mark
from bfcl_pipeline.show.report.csv_rows import csv_rows
from bfcl_pipeline.show.report.format import MISSING, PARTIAL, is_partial, percent
from bfcl_pipeline.show.report.own_errata_note import own_errata_lines

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
