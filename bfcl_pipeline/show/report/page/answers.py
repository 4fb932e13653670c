"""What the answers are, beside right or wrong: to irrelevance entries, and to agentic questions."""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.format import count, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_rows
from bfcl_pipeline.show.report.page.table import MODEL, Cell, Column, Table, each, lines_table
from bfcl_pipeline.show.report.tables.answer_classes import AGENTIC_CLASSES, IRRELEVANCE_CLASSES


def irrelevance(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to irrelevance entries, by model and category."""
    return _shares("Answers to irrelevance entries", tables, tables["irrelevance"], IRRELEVANCE_CLASSES)


def agentic_answers(tables: RunTables) -> Table | None:
    """The shares of the classes of answers to agentic questions, by model and category."""
    return _shares("Answers to agentic questions", tables, tables["answers"], AGENTIC_CLASSES)


def _shares(
    label: str, tables: RunTables, rows: Sequence[Row], classes: Mapping[AnswerClass, str]
) -> Table | None:
    return lines_table(
        label,
        model_rows(tables, rows),
        [
            MODEL,
            Column("Category", lambda _, row: Cell.sortable(row["category"] + mark(row.get("web"))), ""),
            Column("Answered", lambda _, row: Cell.count(row["answered"])),
            *each(
                {name: one.value.capitalize() for one, name in classes.items()},
                lambda _, row, name: _share(row[name], row["answered"]),
            ),
        ],
    )


def _share(number: int, answered: int) -> Cell:
    if not number:
        return Cell.count(0)
    return Cell.number(f"{percent(number / answered)} %", number / answered, count(number))
