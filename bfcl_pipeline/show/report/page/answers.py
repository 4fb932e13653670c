"""What the answers are, beside right or wrong: to irrelevance entries, and to agentic questions."""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.format import count, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.table import NAME_HEADING, Cell, Table, headings
from bfcl_pipeline.show.report.tables.answer_classes import AGENTIC_CLASSES, IRRELEVANCE_CLASSES


def irrelevance(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to irrelevance entries, by model and category."""
    return _shares("Answers to irrelevance entries", tables, tables["irrelevance"], IRRELEVANCE_CLASSES)


def agentic_answers(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to agentic questions, by model and category."""
    return _shares("Answers to agentic questions", tables, tables["answers"], AGENTIC_CLASSES)


def _shares(
    label: str, tables: RunTables, rows: Sequence[Row], columns: Mapping[AnswerClass, str]
) -> Table | None:
    if not rows:
        return None
    of_model = by_model(rows)
    titles = [name.value.capitalize() for name in columns]
    return Table(
        label,
        [[NAME_HEADING, *headings(["Category"], ""), *headings(["Answered", *titles])]],
        [
            [
                Cell.name(model),
                Cell.sortable(row["category"] + mark(row.get("web"))),
                Cell.count(row["answered"]),
                *(_share(row[name], row["answered"]) for name in columns.values()),
            ]
            for model in tables["leaderboard"]
            for row in of_model.get(model["model"], ())
        ],
    )


def _share(number: int, answered: int) -> Cell:
    if not number:
        return Cell.count(0)
    return Cell.number(f"{percent(number / answered)} %", number / answered, count(number))
