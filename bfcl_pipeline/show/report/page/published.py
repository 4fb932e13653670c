"""Rows of published scores in the leaderboard of the page: greyed, and without a rank of the run."""

from collections.abc import Sequence
from dataclasses import replace

from bfcl_pipeline.show.report.format import percent, two_digits
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.scores import COST, FORMAT_DELTA, LEADERBOARD_COLUMNS
from bfcl_pipeline.show.report.page.table import Cell, Table
from bfcl_pipeline.show.report.published_rows import PUBLISHED

_NUMBERS = {FORMAT_DELTA: "format_max_delta", COST: "cost_usd", "Latency (s)": "latency_mean_seconds"}


def with_published(table: Table, tables: RunTables) -> Table:
    """The leaderboard with published rows sorted in by overall; the same table if there are none."""
    if not tables["published"]:
        return table
    headings = [str(cell.text) for cell in table.head[-1]]
    rows: list[tuple[float, Sequence[Cell]]] = [
        (-1.0 if row["overall"] is None else row["overall"], cells)
        for row, cells in zip(tables["leaderboard"], table.rows, strict=True)
    ]
    for one in tables["published"]:
        place = sum(score >= one["overall"] for score, _ in rows)
        rows.insert(place, (one["overall"], _cells(one, headings)))
    return replace(table, rows=[cells for _, cells in rows])


def _cells(row: Row, headings: Sequence[str]) -> list[Cell]:
    title = f"published {row['date']}: {row['source']}"
    cells = {
        "#": Cell(PUBLISHED, style="rank", title=title),
        "Model": Cell.linked_name({**row, "url": row["url"] or "", "kind": None}),
    }
    cells |= {
        heading: Cell.number(percent(row[name]), row[name]) for name, heading in LEADERBOARD_COLUMNS.items()
    }
    cells |= {heading: Cell.number(two_digits(row[name]), row[name]) for heading, name in _NUMBERS.items()}
    chosen = [cells.get(heading, Cell("")) for heading in headings]
    return [replace(cell, style=f"{cell.style} published".strip()) for cell in chosen]
