"""Errors: the number of each type for each model, as bars and as a table, and examples."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from bfcl_pipeline.base.text import printable
from bfcl_pipeline.show.report.format import count
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.table import (
    LINKED_MODEL,
    MODEL,
    Cell,
    PageColumn,
    Table,
    conversation_of,
    each,
    entries_link,
    isolate,
    lines_table,
)
from bfcl_pipeline.show.report.page.views import defects, marked_entry

COLOURS = 7
"""Number of error types with a colour of their own; the others share the last colour."""

BAR_WIDTH = 1000
"""Length of the longest bar, in units of the SVG."""

LEAST_WIDTH = 10
"""Of a segment, in the same units: it is visible beside the lines between segments, whatever its count."""


def error_bars(tables: RunTables, many: bool) -> Table | None:
    """One bar for each model, with a segment for each error type, commonest first; all on one scale.

    Segments of few answers are wider than their share (LEAST_WIDTH).
    """
    counts = _counts(tables)
    types = _types(counts)
    if not types:
        return None
    most = max(of_model.total() for of_model in counts.values())
    widths = {
        model: {
            kind: max(LEAST_WIDTH, BAR_WIDTH * of_model[kind] / most) for kind in types if of_model[kind]
        }
        for model, of_model in counts.items()
    }
    longest = max(sum(of_model.values()) for of_model in widths.values())
    return Table(
        "Errors by model, as bars",
        [],
        [
            [
                LINKED_MODEL.cell(row),
                Cell(count(of_model.total()), style="number"),
                Cell(_bar(of_model, types, widths[row["model"]], longest), style="bar"),
            ]
            for row, of_model in zip(tables["leaderboard"], counts.values(), strict=True)
        ],
        style="bars many" if many else "bars",
    )


def error_counts(tables: RunTables, many: bool) -> Table | None:
    """The number of errors by type.

    many: one row for each model instead of one column.
    """
    counts = _counts(tables)
    types = _types(counts)
    if not types:
        return None
    totals = sum(counts.values(), Counter())
    if many:
        swatch = '<i class="swatch c{}"></i>{}'
        return lines_table(
            "Errors by type",
            [(model,) for model in tables["leaderboard"]],
            [
                MODEL,
                *each(
                    {kind: Markup(swatch).format(_colour(types, kind), kind) for kind in types},  # noqa: S704
                    lambda model, kind: _count(counts[model["model"]], model["model"], kind),
                    tall=True,
                ),
            ],
            foot=[[Cell("All", style="name", scope="row"), *(Cell.count(totals[kind]) for kind in types)]],
            style="sortable map many",
        )

    def named(kind: str) -> Cell:
        swatch = Markup('<span class="swatch c{}"></span><code>{}</code>').format(
            _colour(types, kind), kind
        )
        return Cell(swatch, kind, style="kind", scope="row")

    return lines_table(
        "Errors by type",
        [(kind,) for kind in types],
        [
            PageColumn("Error type", named, "kind"),
            *each(
                {row["model"]: isolate(row["display_name"]) for row in tables["leaderboard"]},
                lambda kind, model: _count(counts[model], model, kind),
            ),
            PageColumn("All", lambda kind: Cell.count(totals[kind])),
        ],
    )


def error_examples(tables: RunTables) -> list[Table]:
    """For each model with errors: each error type in each category with its first entry."""
    rows, titles = by_model(tables["error_types"]), tables.category_titles()
    listed = defects(tables)

    def message(row: Row) -> Cell:
        text = printable(row["example_message"] or "")
        return Cell(isolate(text), text, style="message")

    columns = [
        PageColumn(
            "Category",
            lambda row: Cell.sortable(titles.get((row["model"], row["category"]), row["category"])),
            "",
        ),
        PageColumn("Error type", lambda row: Cell.code(row["error_type"]), ""),
        PageColumn("Entries", lambda row: Cell.count(row["count"])),
        PageColumn("First entry", lambda row: marked_entry(row["example_entry_id"], listed), ""),
        PageColumn("Error message", message, ""),
    ]
    found = [
        lines_table(
            "Examples",
            [(error,) for error in rows.get(row["model"], ())],
            columns,
            style="sortable examples",
            summary=isolate(row["display_name"]) + ": errors by category, with the first entry of each",
            models=conversation_of(row["model"]),
        )
        for row in tables["leaderboard"]
    ]
    return [table for table in found if table is not None]


def marks_examples(tables: RunTables) -> bool:
    """Whether an example has the mark of a defect."""
    listed = defects(tables)
    return any(row["example_entry_id"] in listed for row in tables["error_types"])


def _counts(tables: RunTables) -> dict[str, Counter[str]]:
    """The number of errors by model, in the order of ranks, and type."""
    counts: dict[str, Counter[str]] = {row["model"]: Counter() for row in tables["leaderboard"]}
    for row in tables["error_types"]:
        counts[row["model"]][row["error_type"]] += row["count"]
    return counts


def _count(of_model: Counter[str], model: str, kind: str) -> Cell:
    cell = Cell.count(of_model[kind])
    return replace(cell, link=entries_link(model=model, error=kind)) if of_model[kind] else cell


def _types(counts: Mapping[str, Counter[str]]) -> list[str]:
    totals: Counter[str] = sum(counts.values(), Counter())
    return sorted(totals, key=lambda kind: (-totals[kind], kind))


def _colour(types: Sequence[str], kind: str) -> int:
    return min(types.index(kind), COLOURS)


def _bar(
    of_model: Counter[str], types: Sequence[str], widths: Mapping[str, float], longest: float
) -> Markup:
    segments, start = Markup(), 0.0
    for kind, part in widths.items():
        width = part / longest * BAR_WIDTH
        segments += Markup(
            '<rect class="c{}" x="{}" y="0" width="{}" height="26"><title>{}: {}</title></rect>'
        ).format(_colour(types, kind), round(start, 2), round(width, 2), kind, count(of_model[kind]))
        start += width
    return Markup(
        '<svg viewBox="0 0 {} 26" preserveAspectRatio="none" width="100%" height="26" aria-hidden="true">'
        "{}</svg>"
    ).format(BAR_WIDTH, segments)
