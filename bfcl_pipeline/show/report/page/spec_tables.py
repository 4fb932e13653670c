"""Tables of the page that follow from their `TableSpec`: its columns with a heading, its view."""

from collections.abc import Iterable, Sequence
from typing import Any

from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_rows
from bfcl_pipeline.show.report.page.table import MODEL, Cell, PageColumn, Table, lines_table
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.all_tables import TABLES


def titles(columns: Iterable[spec.Column]) -> dict[str, str]:
    """The headings of columns by name."""
    return {column.name: column.heading for column in columns}


def known(columns: Iterable[spec.Column], rows: Iterable[Row]) -> list[spec.Column]:
    """The columns of which a row has a value."""
    found = list(rows)
    return [column for column in columns if any(row.get(column.name) is not None for row in found)]


def shown_cell(column: spec.Column, row: Row) -> Cell:
    """The cell of a column in a row of its table."""
    text, value, note, title = column.shown(row)
    if isinstance(value, str):
        return Cell(text, value, note, title)
    return Cell.number(text, value, note, title)


def spec_table(
    label: str, tables: RunTables, table: spec.TableSpec, rows: Sequence[Row], **about: Any
) -> Table | None:
    """Rows of a table, by the ranks of models, and its columns with a heading; None without rows.

    about: further fields of `Table`.
    """

    def column(one: spec.Column) -> PageColumn:
        style = "" if one.kind is spec.ColumnKind.TEXT else "number"
        return PageColumn(one.heading, lambda *line: shown_cell(one, line[-1]), style, one.tooltip)

    of_models = spec.MODEL in table.columns
    lines: Iterable[Sequence[Row]] = model_rows(tables, rows) if of_models else zip(rows, strict=True)
    shown = map(column, known(table.shown, rows))
    return lines_table(label, lines, [*([MODEL] if of_models else []), *shown], **about)


def own_sections() -> dict[str, str]:
    """The titles of the sections that a table alone makes, by id."""
    views = {name: table.view for name, table in TABLES.items() if table.view}
    return {name: view.title for name, view in views.items() if view.section == name}


def placed_tables(tables: RunTables) -> dict[str, list[tuple[spec.View, Table]]]:
    """The tables whose specs have a view, by section of the page; none without rows."""
    found: dict[str, list[tuple[spec.View, Table]]] = {}
    for name, table in TABLES.items():
        view = table.view
        if view and (made := spec_table(view.label, tables, table, tables[name])):
            found.setdefault(view.section, []).append((view, made))
    return found
