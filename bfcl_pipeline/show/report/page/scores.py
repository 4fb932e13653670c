"""The tables of scores: leaderboard, categories and prompt formats."""

from collections import Counter
from dataclasses import replace
from math import floor

from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, PromptFormat
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.runs.web_label import mark, note, score_mark, unreal
from bfcl_pipeline.show.report.format import (
    MISSING,
    PARTIAL,
    count,
    interval,
    is_partial,
    percent,
    short_percent,
    two_digits,
)
from bfcl_pipeline.show.report.page.intervals import design_effect_text
from bfcl_pipeline.show.report.page.ranks import ranks
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, shown_categories
from bfcl_pipeline.show.report.page.table import (
    NAME_HEADING,
    Cell,
    Table,
    entries_link,
    group_headings,
    headings,
    isolate,
    tall_headings,
)

LEADERBOARD_COLUMNS = {
    "overall": "Overall",
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi-turn",
    "web_search": "Web search",
    "memory": "Memory",
    "live_relevance": "Relevance",
    "irrelevance_all": "Irrelevance",
}
"""The headings of the scores, in the order of the leaderboard's web page."""

FORMAT_DELTA = "Format max \N{GREEK CAPITAL LETTER DELTA}"
COST = "Cost ($)"
SCORED = "Scored"

COLUMN_TITLES = {
    FORMAT_DELTA: "Best minus worst accuracy over the prompt formats, in percentage points; std: their "
    "standard deviation. Smaller is steadier; not part of the Overall.",
    COST: "US dollars of all requests at the prices in the model's row",
    SCORED: "Share and number of the run's entries that have a verdict; the others have no answer",
}
"""Tooltips of columns that their headings do not explain."""

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


def leaderboard(tables: RunTables) -> Table:
    """The V4 table: scores, and format sensitivity, cost and latency if they are known of any model."""
    limits = {(row["model"], row["category"]): row for row in tables["categories"]}
    columns = {
        title: [score_cell(row, name, limits.get((row["model"], name))) for row in tables["leaderboard"]]
        for name, title in LEADERBOARD_COLUMNS.items()
    }
    columns["Overall"] = [replace(cell, style=f"{cell.style} overall") for cell in columns["Overall"]]
    priced = {row["model"] for row in tables["usage"] if row["cost_usd"] is not None}
    for title, name, note_title, note_name in (
        (FORMAT_DELTA, "format_max_delta", "std", "format_std"),
        (COST, "cost_usd", "", ""),
        ("Latency (s)", "latency_mean_seconds", "p95", "latency_p95_seconds"),
    ):
        if any(row[name] is not None for row in tables["leaderboard"]):
            columns[title] = [_usage(row, name, note_title, note_name) for row in tables["leaderboard"]]
    if COST in columns:
        pairs = zip(tables["leaderboard"], columns[COST], strict=True)
        columns[COST] = [cell if row["model"] in priced else _unpriced(row) for row, cell in pairs]
    columns[SCORED] = [_scored(row) for row in tables["leaderboard"]]
    of_rank = ranks(tables)
    return Table(
        "Leaderboard",
        [
            [
                Cell("#", style="rank", scope="col"),
                NAME_HEADING,
                *(replace(cell, title=COLUMN_TITLES.get(cell.text, "")) for cell in headings(columns)),
            ]
        ],
        [
            [
                of_rank[place],
                Cell.linked_name(row),
                *(cells[place] for cells in columns.values()),
            ]
            for place, row in enumerate(tables["leaderboard"])
        ],
        style="sortable leaderboard",
    )


def score_cell(row: Row, name: str, category: Row | None) -> Cell:
    """One score; the interval of a group is in the table `leaderboard`, that of a category in its own."""
    if row[name] is None:
        return Cell.number(MISSING, None, title="not evaluated")
    limits, prefix = (row, f"{name}_") if category is None else (category, "")
    titles = [note([row["web"]])] if score_mark(row, name, row["web"]) else []
    if is_partial(row, name):
        missing = (category for category in categories_of(name) if row[category] is None)
        titles.append(f"not evaluated, counted as 0: {', '.join(missing)}")
    return Cell.number(
        marked_score(percent(row[name]), row, name),
        row[name],
        interval(limits.get(f"{prefix}ci_low"), limits.get(f"{prefix}ci_high")),
        "; ".join(titles),
    )


def marked_score(text: str, row: Row, name: str) -> str:
    """A score with the marks that it has in a row of the leaderboard."""
    return text + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, row["web"])


def _usage(row: Row, name: str, note_title: str, note_name: str) -> Cell:
    known = note_name and row[note_name] is not None
    return Cell.number(
        two_digits(row[name]), row[name], f"{note_title} {two_digits(row[note_name])}" if known else ""
    )


def _unpriced(row: Row) -> Cell:
    """The cost of a model without prices; the official files have the leaderboard's estimate."""
    if row["cost_usd"] is None:
        return Cell.number(MISSING, None)
    title = (
        "The model's row has no prices. The official tool estimates "
        f"{two_digits(row['cost_usd'])} $ from the time of rented GPUs."
    )
    return Cell.number("unknown", None, title=title)


def _scored(row: Row) -> Cell:
    share = row["answered"] / row["entries"] if row["entries"] else 0.0
    title = f"{count(row['answered'])} of {count(row['entries'])} entries have a verdict"
    # Rounded down: 100.0 % means that none is missing.
    return Cell.number(f"{floor(share * 1000) / 10:.1f} %", share, count(row["answered"]), title)


def category_heat_map(tables: RunTables) -> Table:
    """The heat map: every model on every category."""
    rows = {(row["model"], row["category"]): row for row in tables["categories"]}
    names = shown_categories(tables)
    widths = Counter(GROUP_TITLES[CATEGORIES[name].group] for name in names)
    return Table(
        "Accuracy by category",
        [
            [Cell("", style="name"), *group_headings(widths)],
            [NAME_HEADING, *tall_headings(names, "tall")],
        ],
        [
            [
                replace(Cell.linked_name(row), value=None),
                *(_category(name, rows.get((row["model"], name))) for name in names),
            ]
            for row in tables["leaderboard"]
        ],
        style="map",
    )


def _category(name: str, row: Row | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell.heat(None, MISSING, title=f"{name}: not evaluated")
    share = row["accuracy"]
    title = (
        f"{name}: {count(row['correct'])} of {count(row['answered'])} right, {percent(share)} % "
        f"(95 % interval {interval(row['ci_low'], row['ci_high'])})"
    )
    if clustered := design_effect_text(row["answered"], row["clusters"], row["design_effect"]):
        title += f"; {clustered}"
    if row["not_answered"]:
        title += f"; {count(row['not_answered'])} without a verdict"
    if unreal(row["web"]):
        title += f"; {note([row['web']])}"
    cell = Cell.heat(share, short_percent(share) + mark(row["web"]), title=title)
    wrong = {"verdict": "wrong"} if row["correct"] < row["answered"] else {}
    return replace(cell, link=entries_link(model=row["model"], category=name, **wrong))


def formats(tables: RunTables, many: bool) -> Table | None:
    """Accuracy in each prompt format and its spread.

    many: one row for each model instead of one column.
    """
    rows = {(row["model"], row["format"]): row for row in tables["formats"]}
    evaluated = {model for model, _ in rows}
    models = [row for row in tables["leaderboard"] if row["model"] in evaluated]
    if not models:
        return None
    label = "Accuracy by prompt format"
    if many:
        return Table(
            label,
            [[NAME_HEADING, *tall_headings([*map(_format_title, FORMATS), *FORMAT_SPREADS.values()])]],
            [
                [
                    Cell.name(row),
                    *(_narrow(Cell.accuracy(rows.get((row["model"], fmt.key)))) for fmt in FORMATS),
                    *(_spread(row[name]) for name in FORMAT_SPREADS),
                ]
                for row in models
            ],
            style="sortable map many",
        )
    return Table(
        label,
        [
            [
                *headings(["Calls as", "Tag", "Docs as", "Layout", "Wording"], ""),
                *headings((isolate(row["display_name"]) for row in models), "number center"),
            ]
        ],
        [
            [
                *map(Cell.sortable, _choices(fmt)),
                *(Cell.accuracy(rows.get((row["model"], fmt.key))) for row in models),
            ]
            for fmt in FORMATS
        ],
        [
            [
                Cell(title, scope="row", width=5),
                *(Cell(two_digits(row[name]), style="number") for row in models),
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
