"""Ranks in the first table of the page, and the notes on them beneath it."""

from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.show.report.format import NO_RANK
from bfcl_pipeline.show.report.page.run_tables import RunTables
from bfcl_pipeline.show.report.page.table import Cell
from bfcl_pipeline.show.report.rank_note import GROUP_NOTE, begins_group, rank_interval, rank_notes


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
