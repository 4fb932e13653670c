"""Trials: how far the scores of the V4 table move when the benchmark is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.report.cells import MISSING, PARTIAL, Cell, count, interval, is_partial, percent
from bfcl_pipeline.report.run_tables import Row, RunTables
from bfcl_pipeline.report.view_overview import LEADERBOARD_COLUMNS, ModelLabel, model_labels
from bfcl_pipeline.report.web_label import score_mark


@dataclass(frozen=True, slots=True)
class TrialLine:
    """One model over its trials."""

    label: ModelLabel
    trials: Cell
    cells: Sequence[Cell]  # one per header


@dataclass(frozen=True, slots=True)
class TrialView:
    """What the page shows of trials; without lines where nothing was repeated."""

    headers: Sequence[str]
    lines: Sequence[TrialLine]


def trial_view(tables: RunTables) -> TrialView:
    """Models in the order in which their first trials rank."""
    rows = {(row["model"], row["score"]): row for row in tables.trials}
    firsts = {row["model"]: row for row in tables.leaderboard}
    return TrialView(
        headers=[header for _, header in LEADERBOARD_COLUMNS],
        lines=[
            TrialLine(
                label,
                _trials(rows[model, "overall"]),
                [_cell(rows.get((model, name)), firsts[model], name) for name, _ in LEADERBOARD_COLUMNS],
            )
            for model, label in model_labels(tables).items()
            if (model, "overall") in rows
        ],
    )


def _trials(row: Row) -> Cell:
    return Cell(count(row["trials"]), row["trials"])


def _cell(row: Row | None, first: Row, name: str) -> Cell:
    """The score `name` over trials, marked as that of the first."""
    if row is None:
        return Cell(MISSING, None, title="not evaluated")
    spread = "" if row["std"] is None else f" \N{PLUS-MINUS SIGN} {percent(row['std'])}"
    marks = (PARTIAL if is_partial(first, name) else "") + score_mark(first, name, first["web"])
    return Cell(percent(row["mean"]) + marks + spread, row["mean"], interval(row["min"], row["max"]))
