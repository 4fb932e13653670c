"""The errors: how often each kind occurs per model, as bars, as a table, and with an example each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.report.cells import Cell, count
from bfcl_pipeline.report.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels

COLOURS = 7
"""How many kinds of error have a colour of their own; the rest share the last."""

BAR_WIDTH = 1000
"""Units from end to end of the longest bar."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar."""

    start: float  # where it begins, in units of BAR_WIDTH
    width: float  # how long it is, in the same
    colour: int  # index of its colour
    title: str  # its kind and count


@dataclass(frozen=True, slots=True)
class Bar:
    """One model's failures."""

    label: ModelLabel
    total: str  # how many
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """One kind of error, counted per model."""

    error_type: str
    colour: int
    cells: Sequence[Cell]  # one per model, then the sum


@dataclass(frozen=True, slots=True)
class Example:
    """The first entry that failed in one way."""

    category: str  # marked where its web was not the real one
    error_type: str
    count: Cell
    entry_id: str
    message: str


@dataclass(frozen=True, slots=True)
class ModelExamples:
    """The examples of one model."""

    label: ModelLabel
    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Errors:
    """Everything the page shows of errors."""

    labels: Sequence[ModelLabel]
    bars: Sequence[Bar]
    lines: Sequence[ErrorLine]
    examples: Sequence[ModelExamples]


def errors(tables: RunTables) -> Errors:
    """The errors of these tables, models in the order of ranks, commonest kinds first."""
    labels = model_labels(tables)
    totals: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {model: Counter() for model in labels}
    for row in tables.error_types:
        totals[row["error_type"]] += row["count"]
        counts[row["model"]][row["error_type"]] += row["count"]
    kinds = sorted(totals, key=lambda kind: (-totals[kind], kind))
    longest = max((found.total() for found in counts.values()), default=0)
    titles, rows = tables.category_titles(), by_model(tables.error_types)
    return Errors(
        labels=list(labels.values()),
        bars=[_bar(label, counts[model], kinds, longest) for model, label in labels.items()],
        lines=[
            ErrorLine(
                kind,
                _colour(number),
                [*(_count_cell(counts[model][kind]) for model in labels), _count_cell(totals[kind])],
            )
            for number, kind in enumerate(kinds)
        ],
        examples=[
            ModelExamples(labels[model], [_example(row, titles) for row in rows[model]])
            for model in labels
            if model in rows
        ],
    )


def _colour(number: int) -> int:
    return min(number, COLOURS)


def _count_cell(number: int) -> Cell:
    return Cell(count(number) if number else "\N{EN DASH}", number)


def _bar(label: ModelLabel, found: Counter[str], kinds: Sequence[str], longest: int) -> Bar:
    segments: list[Segment] = []
    start = 0.0
    for number, kind in enumerate(kinds):
        if not found[kind]:
            continue
        width = found[kind] / longest * BAR_WIDTH
        title = f"{kind}: {count(found[kind])}"
        segments.append(Segment(round(start, 2), round(width, 2), _colour(number), title))
        start += width
    return Bar(label, count(found.total()), segments)


def _example(row: Row, titles: Mapping[tuple[str, str], str]) -> Example:
    return Example(
        titles.get((row["model"], row["category"]), row["category"]),
        row["error_type"],
        _count_cell(row["count"]),
        row["example_entry_id"],
        row["example_message"] or "",
    )
