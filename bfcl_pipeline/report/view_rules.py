"""Official against corrected rules: where the verdicts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.report.cells import Cell, count, percent
from bfcl_pipeline.report.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels
from bfcl_pipeline.report.web_label import mark


@dataclass(frozen=True, slots=True)
class RulesLine:
    """One model on one category where the rules disagree."""

    label: ModelLabel
    category: str  # marked where its web was not the real one
    cells: Sequence[Cell]  # official, corrected, difference, made valid, made invalid, entries


@dataclass(frozen=True, slots=True)
class RulesComparison:
    """Where the rules disagree, and how much was compared."""

    compared: int  # verdicts that both rule sets gave
    flipped: int  # of these, the ones that differ
    pairs: int  # pairs of model and category compared
    lines: Sequence[RulesLine]  # the pairs with a difference


def rules_comparison(tables: RunTables) -> RulesComparison:
    """The comparison, models in the order of ranks."""
    rows = by_model(tables.flips)
    lines = [
        RulesLine(label, row["category"] + mark(row["web"]), _cells(row))
        for model, label in model_labels(tables).items()
        for row in rows.get(model, ())
        if row["flipped"]
    ]
    return RulesComparison(
        compared=sum(row["entries"] for row in tables.flips),
        flipped=sum(row["flipped"] for row in tables.flips),
        pairs=len(tables.flips),
        lines=lines,
    )


def _cells(row: Row) -> list[Cell]:
    official, corrected = row["official_accuracy"], row["corrected_accuracy"]
    return [
        Cell(percent(official), official),
        Cell(percent(corrected), corrected),
        Cell(f"{(corrected - official) * 100:+.2f}", corrected - official),
        *(Cell(count(row[name]), row[name]) for name in ("to_valid", "to_invalid", "entries")),
    ]
