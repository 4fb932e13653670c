"""What the answers are, beside right or wrong: to irrelevance entries, and to agentic questions."""

from collections.abc import Sequence

from bfcl_pipeline.report.format import count, percent
from bfcl_pipeline.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.page.table import NAME_HEADING, Cell, Table, headings
from bfcl_pipeline.report.web_label import mark

IRRELEVANCE = {
    "abstained_in_words": "Abstained in words",
    "empty": "Empty",
    "malformed_call": "Malformed call",
    "called": "Called",
}
"""The classes of the table `irrelevance` and their headings."""

AGENTIC = {
    "right": "Right",
    "wrong": "Wrong",
    "abstained": "Abstained",
    "no_answer_form": "No answer form",
}
"""The classes of the table `answers` and their headings."""


def irrelevance(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to irrelevance entries, by model and category."""
    return _shares("Answers to irrelevance entries", tables, tables.irrelevance, IRRELEVANCE)


def agentic_answers(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to agentic questions, by model and category."""
    return _shares("Answers to agentic questions", tables, tables.answers, AGENTIC)


def _shares(label: str, tables: RunTables, rows: Sequence[Row], classes: dict[str, str]) -> Table | None:
    if not rows:
        return None
    of_model = by_model(rows)
    return Table(
        label,
        [[NAME_HEADING, *headings(["Category"], ""), *headings(["Answered", *classes.values()])]],
        [
            [
                Cell.name(model),
                Cell.sortable(row["category"] + mark(row.get("web"))),
                Cell.count(row["answered"]),
                *(_share(row[name], row["answered"]) for name in classes),
            ]
            for model in tables.leaderboard
            for row in of_model.get(model["model"], ())
        ],
    )


def _share(number: int, answered: int) -> Cell:
    if not number:
        return Cell.count(0)
    return Cell.number(f"{percent(number / answered)} %", number / answered, count(number))
