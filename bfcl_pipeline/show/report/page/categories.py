"""Accuracy by category and by prompt format, and how precise the scores are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, PromptFormat
from bfcl_pipeline.runs.web_label import mark, note, unreal
from bfcl_pipeline.show.report.format import MISSING, count, interval, percent, short_percent, two_digits
from bfcl_pipeline.show.report.omission_notes import span
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, shown_categories
from bfcl_pipeline.show.report.page.table import (
    LINKED_MODEL,
    MODEL,
    Cell,
    Table,
    each,
    entries_link,
    group_headings,
    isolate,
    lines_table,
    without_empty_columns,
)

GROUP_TITLES = {
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi-turn",
    "agentic": "Agentic",
    "format_sensitivity": "Formats",
    "executable": "Executable (V1)",
}

FORMAT_SPREADS = {
    "format_max_delta": "Best minus worst, points",
    "format_std": "Standard deviation, points",
}


def category_heat_map(tables: RunTables) -> Table | None:
    """The heat map: every model on every category."""
    rows = {(row["model"], row["category"]): row for row in tables["categories"]}
    names, omitted = shown_categories(tables), {(r["model"], r["score"]): r for r in tables["omitted"]}

    def category(model: Row, name: str) -> Cell:
        key = model["model"], name
        return _category(name, rows.get(key), omitted.get(key))

    table = lines_table(
        "Accuracy by category",
        [(model,) for model in tables["leaderboard"]],
        [LINKED_MODEL, *each(dict(zip(names, names, strict=True)), category, "", tall=True)],
        group_headings(Counter(GROUP_TITLES[CATEGORIES[name].group] for name in names)),
        style="map",
    )
    published = [row for row in tables["published"] if any(row.get(name) is not None for name in names)]
    return table and without_empty_columns(
        replace(table, rows=[*table.rows, *(_published(row, names) for row in published)])
    )


def _published(row: Row, names: Sequence[str]) -> list[Cell]:
    """The published scores of one model: numbers without a colour, which is for verdicts of the run."""
    known = {name: row[name] for name in names if row.get(name) is not None}
    cells = (
        Cell(short_percent(known[name]), style="published center")
        if name in known
        else Cell("", style="na")
        for name in names
    )
    return [Cell.published_name(row), *cells]


def _category(name: str, row: Row | None, omitted: Row | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell.heat(None, MISSING, title=f"{name}: not evaluated")
    share = row["accuracy"]
    title = (
        f"{name}: {count(row['correct'])} of {count(row['answered'])} right, {percent(share)} % "
        f"(95 % interval {interval(row['ci_low'], row['ci_high'])})"
    )
    if row["clusters"] is not None and row["clusters"] != row["answered"]:
        title += f"; {count(row['clusters'])} clusters"
        if row["design_effect"] is not None:
            title += f", design effect {row['design_effect']:.2f}"
    if omitted:
        title += f"; {span(omitted)} if {count(omitted['omitted'])} without a verdict were wrong, or right"
    if unreal(row["web"]):
        title += f"; {note([row['web']])}"
    cell = Cell.heat(share, short_percent(share) + mark(row["web"]), title=title)
    wrong = {"verdict": "wrong"} if row["correct"] < row["answered"] else {}
    return replace(cell, link=entries_link(model=row["model"], category=name, **wrong))


def design_effects(tables: RunTables) -> Table | None:
    """The design effect of each score in which entries share clusters; None if the run has no intervals."""
    rows = {(row["model"], row["score"]): row for row in tables["intervals"]}
    scores = {row["score"]: row["score"] for row in tables["intervals"] if row["clusters"] < row["entries"]}

    def effect(model: Row, score: str) -> Cell:
        return _design_effect(rows.get((model["model"], score)))

    return lines_table(
        "Design effects",
        [(model,) for model in tables["leaderboard"] if scores],
        [MODEL, *each(scores, effect, tall=True)],
        summary="Design effects: the variance of each score over that of as many independent entries",
        drop_empty=True,
    )


def _design_effect(row: Row | None) -> Cell:
    if row is None:
        return Cell.number(MISSING, None, title="not evaluated")
    title = f"{count(row['entries'])} entries in {count(row['clusters'])} clusters"
    if row["effective_entries"] is not None:
        title += f", as precise as {row['effective_entries']:,.0f} independent entries"
    effect = row["design_effect"]
    if effect is None:
        return Cell.number(MISSING, None, title=f"{title}; all verdicts are equal, or of one cluster")
    return Cell.number(f"{effect:.2f}", effect, title=title)


def formats(tables: RunTables, many: bool) -> Table | None:
    """Accuracy in each prompt format and its spread.

    many: one row for each model instead of one column.
    """
    rows = {(row["model"], row["format"]): row for row in tables["formats"]}
    evaluated = {model for model, _ in rows}
    models = [row for row in tables["leaderboard"] if row["model"] in evaluated]

    def accuracy(model: Row, fmt: PromptFormat) -> Cell:
        return Cell.accuracy(rows.get((model["model"], fmt.key)))

    if many:
        return lines_table(
            "Accuracy by prompt format",
            [(model,) for model in models],
            [
                MODEL,
                *each(
                    {fmt: _format_title(fmt) for fmt in FORMATS},
                    lambda model, fmt: _narrow(accuracy(model, fmt)),
                    tall=True,
                ),
                *each(FORMAT_SPREADS, lambda model, name: _spread(model[name]), tall=True),
            ],
            style="sortable map many",
        )
    choices = ("Calls as", "Tag", "Docs as", "Layout", "Wording")
    return lines_table(
        "Accuracy by prompt format",
        [(fmt,) for fmt in FORMATS if models],
        [
            *each(dict(enumerate(choices)), lambda fmt, place: Cell.sortable(_choices(fmt)[place]), ""),
            *each(
                {place: isolate(model["display_name"]) for place, model in enumerate(models)},
                lambda fmt, place: accuracy(models[place], fmt),
                "number center",
            ),
        ],
        foot=[
            [
                Cell(title, scope="row", width=len(choices)),
                *(Cell(two_digits(model[name]), style="number") for model in models),
            ]
            for name, title in FORMAT_SPREADS.items()
        ],
        style="sortable map formats",
    )


def _spread(points: float | None) -> Cell:
    text = two_digits(points)
    return Cell(text, None if points is None else text, style="number")


def _narrow(cell: Cell) -> Cell:
    """The cell with its interval in the tooltip."""
    return replace(cell, note="", title=f"{cell.title} ({cell.note})" if cell.note else cell.title)


def _choices(fmt: PromptFormat) -> list[str]:
    tag = "yes" if fmt.tool_call_tag else "no"
    return [fmt.return_format.value.replace("_", " "), tag, fmt.doc_format, fmt.layout, fmt.style]


def _format_title(fmt: PromptFormat) -> str:
    """All choices but the usual layout and the usual wording."""
    tag = "tagged " if fmt.tool_call_tag else ""
    unusual = [choice for choice in (fmt.layout, fmt.style) if choice not in ("plaintext", "classic")]
    return ", ".join([f"{tag}{fmt.return_format.value.replace('_', ' ')}, {fmt.doc_format} docs", *unusual])
