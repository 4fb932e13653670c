"""Ranks in the first table of the page with their notes, and rows of published scores among its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bfcl_pipeline.show.report.format import NO_RANK, percent, two_digits
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.scores import COST, FORMAT_DELTA, LEADERBOARD_COLUMNS
from bfcl_pipeline.show.report.page.table import Cell, Table
from bfcl_pipeline.show.report.published_rows import PUBLISHED
from bfcl_pipeline.show.report.rank_note import GROUP_NOTE, begins_group, rank_interval, rank_notes

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


def ranks(tables: RunTables) -> list[Cell]:
    """The rank of each model with its interval beneath.

    The style sheet draws lines between groups while the models are in the order of ranks.
    """
    return rank_cells(tables["leaderboard"])


def rank_cells(rows: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """The same of rows of any table with the columns on ranks, in the order of ranks."""
    return [_rank(row, begins) for row, begins in zip(rows, begins_group(rows), strict=True)]


def _rank(row: Mapping[str, Any], begins: bool) -> Cell:
    """begins: whether a line stands above the model."""
    if row["rank"] is None:
        return Cell(NO_RANK, None, style="rank")
    allowed = rank_interval(row)
    title = f"95 % interval of the rank: {allowed}; group {row['rank_group']}" if allowed else ""
    if begins:
        title += ", shown to be worse than the first model of the group above"
    return Cell(row["rank"], row["rank"], allowed, title, "rank begins" if begins else "rank")


def notes_on_ranks(tables: RunTables) -> list[str]:
    """What the intervals and lines mean, and the smallest difference that the run could show."""
    return notes_of_rows(tables["leaderboard"])


def notes_of_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The same of rows of any table with the columns on ranks."""
    notes = rank_notes(rows, "Beneath each rank")
    return [*notes, GROUP_NOTE] if any(begins_group(rows)) else notes
