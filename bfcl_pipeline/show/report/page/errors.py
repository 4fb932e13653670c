"""Errors: the number of each type for each model, as bars and as a table, with examples, and their causes.

The causes are what the command `blame` wrote to the run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from bfcl_pipeline.base.text import cut, plural, printable
from bfcl_pipeline.show.report.format import count, two_digits
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
    group_headings,
    isolate,
    lines_table,
    linked_entry,
)
from bfcl_pipeline.show.report.page.views import defects, marked_entry

COLOURS = 7
"""Number of error types with a colour of their own; the others share the last colour."""

BAR_WIDTH = 1000
"""Length of the longest bar, in units of the SVG."""

LEAST_WIDTH = 10
"""Of a segment, in the same units: it is visible beside the lines between segments, whatever its count."""

DECIDED_SHOWN = 10
"""Answers of each model that are shown of those that its server decided."""

_LONGEST = 400  # characters of a text


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

    columns = [
        PageColumn(
            "Category",
            lambda row: Cell.sortable(titles.get((row["model"], row["category"]), row["category"])),
            "",
        ),
        PageColumn("Error type", lambda row: Cell.code(row["error_type"]), ""),
        PageColumn("Entries", lambda row: Cell.count(row["count"])),
        PageColumn("First entry", lambda row: marked_entry(row["example_entry_id"], listed), ""),
        PageColumn("Error message", lambda row: Cell.message(printable(row["example_message"] or "")), ""),
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


def _overall(tables: RunTables) -> list[tuple[Row, dict[str, Row]]]:
    """The row of each model that has causes, and these by name."""
    of_model = by_model(row for row in tables["blame"] if row["category"] == "overall")
    named = ((row, of_model.get(row["model"], ())) for row in tables["leaderboard"])
    return [(row, {cause["cause"]: cause for cause in own}) for row, own in named if own]


def cause_sentences(tables: RunTables) -> Iterator[str]:
    """For each model, whether the model or its server costs more."""
    for row, causes in _overall(tables):
        of_server = [cause for name, cause in causes.items() if name.startswith("server")]
        points, wrong = (sum(cause[name] for cause in of_server) for name in ("points", "wrong"))
        lost = sum(cause["points"] for cause in causes.values())
        server = "No wrong answer is put down to its server."
        if wrong:
            counted = plural(int(wrong), "answer", "answers")
            advice = "check its tool parser and chat template"
            server = f"{points:.2f} of these are its server's ({counted}): {advice}."
        name = printable(row["display_name"])
        yield f"{name}: wrong answers cost {lost:.2f} points of the overall score. {server}"


def causes(tables: RunTables) -> Table | None:
    """What each cause costs each model; None if `blame` was not used."""
    lines = _overall(tables)
    names = dict.fromkeys(name for _, found in lines for name in found)
    titles = {name: printable(name).capitalize() for name in names}

    def cell(_: Row, found: dict[str, Row], name: str) -> Cell:
        if (cause := found.get(name)) is None or not cause["wrong"]:
            return Cell.number("0", 0.0)
        low, high = cause["low"], cause["high"]
        limits = "" if low is None or high is None else f"{low:.1f}\N{EN DASH}{high:.1f}"
        wrong = f"{count(int(cause['wrong']))} wrong answers"
        return Cell.number(two_digits(cause["points"]), cause["points"], limits, wrong)

    groups = group_headings({"Put down to": len(titles)})
    return lines_table("Causes of wrong answers", lines, [LINKED_MODEL, *each(titles, cell)], groups)


def server_answers(tables: RunTables) -> list[Table]:
    """For each model, the first answers that its server decided."""
    of_model = by_model(tables["blame_answers"])

    def text(row: Row, name: str) -> Cell:
        return Cell(isolate(printable(cut(row[name], _LONGEST))), style="message")

    columns = [
        PageColumn("Entry", lambda row: Cell(linked_entry(row["entry_id"])), ""),
        PageColumn("Step", lambda row: Cell(row["step"], style="number")),
        PageColumn("Cause", lambda row: Cell(printable(row["cause"])), ""),
        *each({"wrote": "The model wrote", "read": "The server read"}, text, ""),
    ]
    found = (
        lines_table(
            "Answers that a server decided",
            [(one,) for one in of_model.get(row["model"], ())[:DECIDED_SHOWN]],
            columns,
            style="examples",
            summary=isolate(row["display_name"]) + ": what the model wrote, and what its server read",
            models=conversation_of(row["model"]),
        )
        for row in tables["leaderboard"]
    )
    return [table for table in found if table is not None]
