"""Cost and latency of each model, in total and by category, as far as they are known."""

from collections.abc import Mapping, Sequence
from itertools import chain

from bfcl_pipeline.benchmark.records import total
from bfcl_pipeline.show.report.format import MISSING, count, two_digits
from bfcl_pipeline.show.report.omission_notes import causes
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.spec_tables import known, shown_cell
from bfcl_pipeline.show.report.page.table import MODEL, Cell, PageColumn, Table, each, isolate, lines_table
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.score_tables import SESSIONS, TIMES, USAGE

_NUMBERS = [column for column in USAGE.shown if column.kind is not spec.ColumnKind.TEXT]
_SUMS, _MEANS = ([one for one in _NUMBERS if (one.group == TIMES) is mean] for mean in (False, True))

MEASURED = ("input_tokens", "output_tokens", "exchange_mean_seconds")
"""A model of which none of these is known is left out."""


def usage(tables: RunTables) -> list[Table]:
    """A table of sums, then one by category for each model; no table if nothing is known of any model.

    Models in the order of ranks. A column of which nothing is known is left out.
    """
    rows = {
        model: own
        for model, own in by_model(tables["usage"]).items()
        if any(row[name] is not None for row in own for name in MEASURED)
    }
    models = [row for row in tables["leaderboard"] if row["model"] in rows]
    if not models:
        return []
    every = list(chain.from_iterable(rows.values()))
    sums = each({one: one.heading for one in known(_SUMS, every)}, _sum)
    omitted = {(row["model"], row["score"]): row for row in tables["omitted"]}
    titles = tables.category_titles()
    columns = [
        *sums,
        *each({one: one.heading for one in known(_MEANS, every)}, _mean),
        PageColumn("Without answer", lambda _, rows: _unanswered_cell(omitted, rows)),
    ]
    category = PageColumn("Category", lambda _, rows: Cell.sortable(_title(titles, rows[0])), "")
    found = [
        lines_table(
            "Cost by model",
            [(model, rows[model["model"]]) for model in models],
            [MODEL, *columns[: len(sums)], columns[-1]],
        )
    ]
    for model in models:
        lines = [(model, [row]) for row in rows[model["model"]]]
        about = isolate(model["display_name"]) + ": by category"
        found.append(
            lines_table("Cost and latency by category", lines, [category, *columns], summary=about)
        )
    return [table for table in found if table is not None]


def _title(titles: Mapping[tuple[str, str], str], row: Row) -> str:
    title = titles.get((row["model"], row["category"]), row["category"])
    return f"{title}: sessions" if row["part"] == SESSIONS else title


def _sum(_: Row, rows: Sequence[Row], column: spec.Column) -> Cell:
    amount = total(row[column.name] for row in rows)
    if amount is None:
        return Cell.number(MISSING, None, title="not reported")
    return Cell.number(
        count(amount) if column.kind is spec.ColumnKind.COUNT else two_digits(amount), amount
    )


def _mean(_: Row, rows: Sequence[Row], column: spec.Column) -> Cell:
    if rows[0][column.name] is None:
        return Cell.number(MISSING, None, title="not measured")
    return shown_cell(column, rows[0])


def _unanswered_cell(omitted: Mapping[tuple[str, str], Row], rows: Sequence[Row]) -> Cell:
    """Entries without a verdict of some categories; sessions are not counted.

    omitted: by model and category.
    """
    keys = [(row["model"], row["category"]) for row in rows if row["part"] != SESSIONS]
    found = [omitted[key] for key in keys if key in omitted]
    return Cell.count(sum(row["omitted"] for row in found), title=causes(found))
