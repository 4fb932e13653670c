"""The heat map: every model on every category, with counts and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.report.cells import MISSING, Cell, count, heat, interval, percent, short_percent
from bfcl_pipeline.report.run_tables import Row, RunTables
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels
from bfcl_pipeline.report.web_label import mark, note, unreal

GROUP_TITLES = {
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi-turn",
    "agentic": "Agentic",
    "format_sensitivity": "Formats",
}


@dataclass(frozen=True, slots=True)
class GroupHead:
    """A header over the categories of one group."""

    title: str
    width: int  # how many categories stand below


@dataclass(frozen=True, slots=True)
class HeatLine:
    """One model's row of the map."""

    label: ModelLabel
    cells: Sequence[Cell]  # one per category


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Models by categories."""

    groups: Sequence[GroupHead]
    categories: Sequence[str]
    lines: Sequence[HeatLine]


def heat_map(tables: RunTables) -> HeatMap:
    """The map for these tables, models in the order of ranks."""
    rows = {(row["model"], row["category"]): row for row in tables.categories}
    return HeatMap(
        groups=[
            GroupHead(GROUP_TITLES[group], len(list(members)))
            for group, members in groupby(CATEGORIES.values(), key=lambda category: category.group)
        ],
        categories=list(CATEGORIES),
        lines=[
            HeatLine(label, [_cell(name, rows.get((model, name))) for name in CATEGORIES])
            for model, label in model_labels(tables).items()
        ],
    )


def _cell(category: str, row: Row | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell(MISSING, None, title=f"{category}: not evaluated")
    share = row["accuracy"]
    title = (
        f"{category}: {count(row['correct'])} of {count(row['answered'])} right, {percent(share)} % "
        f"(95 % interval {interval(row['ci_low'], row['ci_high'])})"
    )
    if row["not_answered"]:
        title += f"; {count(row['not_answered'])} without a verdict"
    if unreal(row["web"]):
        title += f"; {note([row['web']])}"
    return Cell(short_percent(share) + mark(row["web"]), share, "", title, heat(share))
