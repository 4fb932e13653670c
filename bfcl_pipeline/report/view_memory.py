"""Memory: accuracy by scenario, what each model did with its memory, and what became of the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.report.agentic_columns import MEMORY_USE
from bfcl_pipeline.report.cells import MISSING, Cell, count, heat, interval, short_percent
from bfcl_pipeline.report.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels

USE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("adds", "Add"),
    ("replaces", "Replace"),
    ("removes", "Remove"),
    ("clears", "Clear"),
    ("searches", "Search"),
    ("retrievals", "Read"),
    ("core_calls", "Core"),
    ("archival_calls", "Archival"),
    ("errors", "Failed"),
    ("core_entries", "Core"),
    ("archival_entries", "Archival"),
    ("stored", "Stored"),
    ("kept", "Kept"),
    ("lost", "Deleted"),
    ("question_searches", "Search"),
    ("question_retrievals", "Read"),
    ("question_errors", "Failed"),
)
"""Columns of `memory_use` that the page shows, summed over scenarios, and their headers."""


@dataclass(frozen=True, slots=True)
class UseGroup:
    """A header over several columns of use."""

    title: str
    width: int  # how many columns stand below


USE_GROUPS = (
    UseGroup("Calls in the sessions", 9),
    UseGroup("Texts left", 2),
    UseGroup("Facts asked for", 3),
    UseGroup("At the questions", 3),
)
"""The headers over USE_COLUMNS."""


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One model with one memory."""

    label: ModelLabel
    category: str
    scenarios: Sequence[Cell]  # accuracy in each scenario
    sessions: Cell | None  # held, of all; None where nothing is known of the sessions
    use: Sequence[Cell]  # one per column of USE_COLUMNS


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Everything that the page shows of memory; without lines where it was not evaluated."""

    scenarios: Sequence[str]
    headers: Sequence[str]  # of the columns of use
    groups: Sequence[UseGroup]  # over these
    lines: Sequence[MemoryLine]


def memory(tables: RunTables) -> MemoryView:
    """Models in the order of ranks, memories and scenarios in the release's."""
    scenarios = list(dict.fromkeys(row["scenario"] for row in tables.memory_domains))
    accuracy = {(row["model"], row["category"], row["scenario"]): row for row in tables.memory_domains}
    use = _summed(tables.memory_use)
    asked = by_model(tables.memory_domains)
    return MemoryView(
        scenarios=scenarios,
        headers=[header for _, header in USE_COLUMNS],
        groups=USE_GROUPS,
        lines=[
            MemoryLine(
                label,
                category,
                [_accuracy(accuracy.get((model, category, scenario))) for scenario in scenarios],
                _sessions(use.get((model, category))),
                [_use(use[model, category], name) for name, _ in USE_COLUMNS]
                if (model, category) in use
                else [],
            )
            for model, label in model_labels(tables).items()
            for category in dict.fromkeys(row["category"] for row in asked.get(model, ()))
        ],
    )


def _summed(rows: Sequence[Row]) -> dict[tuple[str, str], Counter[str]]:
    """The columns with counts by model and category, added up over scenarios."""
    counts = [field.name for field in MEMORY_USE if field.type == "int64"]
    sums: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        sums.setdefault((row["model"], row["category"]), Counter()).update(
            {name: row[name] for name in counts}
        )
    return sums


def _accuracy(row: Row | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell(MISSING, None, title="not evaluated")
    share = row["accuracy"]
    limits = interval(row["ci_low"], row["ci_high"])
    title = f"{count(row['correct'])} of {count(row['answered'])} right"
    return Cell(short_percent(share), share, limits, title, heat(share))


def _sessions(sums: Mapping[str, int] | None) -> Cell | None:
    if sums is None:
        return None
    held = sums["sessions_held"]
    return Cell(f"{count(held)}/{count(sums['sessions'])}", held)


def _use(sums: Mapping[str, int], name: str) -> Cell:
    number = sums[name]
    title = f"of {count(sums['questions'])}" if name in ("stored", "kept", "lost") else ""
    return Cell(count(number) if number else "\N{EN DASH}", number, title=title)
