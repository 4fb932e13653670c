"""The leaderboard: scores with marks, ranks, published rows, and models that were asked in both modes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Any

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS, RECORDED_KINDS, trial_name, trial_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.runs.web_label import note, score_mark
from bfcl_pipeline.show.report.format import (
    MISSING,
    NO_RANK,
    NOTHING,
    PARTIAL,
    count,
    interval,
    is_partial,
    percent,
    two_digits,
)
from bfcl_pipeline.show.report.omission_notes import causes, span
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.spec_tables import known, shown_cell, titles
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    each,
    lines_table,
    without_empty_columns,
)
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD, SCORES
from bfcl_pipeline.show.report.v4_table import (
    GROUP_NOTE,
    PUBLISHED,
    begins_group,
    rank_interval,
    rank_notes,
    with_published,
)

LEADERBOARD_COLUMNS = titles(column for column in LEADERBOARD.shown if column.name in SCORES)
"""The headings of the scores, in the order of the leaderboard's web page."""

_OTHERS = [column for column in LEADERBOARD.shown if column.name not in SCORES]

_FC = "-FC"  # the end of names of models in function-calling mode, as the leaderboard has them


def leaderboard(tables: RunTables) -> Table:
    """The V4 table: scores, and the other columns of which a value is known of any model.

    Published rows stand among those of the run, by overall: greyed, and without a rank of the run. The
    style sheet draws lines between groups while the models are in the order of ranks.
    """
    limits = {(row["model"], row["category"]): row for row in tables["categories"]}
    priced = {row["model"] for row in tables["usage"] if row["cost_usd"] is not None}
    own, omitted = tables["leaderboard"], omitted_titles(tables)

    def score(row: Row, name: str) -> Cell:
        cell = score_cell(row, name, limits.get((row["model"], name)), omitted)
        return replace(cell, style=f"{cell.style} overall") if name == "overall" else cell

    def number(row: Row, column: spec.Column) -> Cell:
        unpriced = column.name == "cost_usd" and row["model"] not in priced
        return _unpriced(row) if unpriced else shown_cell(column, row)

    others = known(_OTHERS, own)
    about = "Share and number of the run's entries that have a verdict (How we count)"
    columns = [
        PageColumn("#", lambda rank, _: rank, "rank"),
        PageColumn("Model", lambda _, row: Cell.linked_name(row), "name"),
        *each(LEADERBOARD_COLUMNS, lambda _, row, name: score(row, name)),
        *(
            PageColumn(one.heading, lambda _, row, one=one: number(row, one), tooltip=one.tooltip)
            for one in others
        ),
        PageColumn("Scored", lambda _, row: _scored(row), tooltip=about),
    ]
    table = lines_table(
        "Leaderboard", zip(rank_cells(own), own, strict=True), columns, style="sortable leaderboard"
    )
    assert table is not None  # noqa: S101  # a run has a model
    rows = with_published(
        table.rows,
        [row["overall"] for row in own],
        tables["published"],
        LEADERBOARD_COLUMNS,
        lambda one: _published(one, others),
    )
    return without_empty_columns(replace(table, rows=rows))


def _published(row: Mapping[str, Any], others: Sequence[spec.Column]) -> list[Cell]:
    """others: the columns after the scores, of which the published file may not have each."""
    cells = [
        Cell(PUBLISHED, style="rank", title=f"published {row['date']}: {row['source']}"),
        Cell.published_name(row),
        *(Cell.number(percent(row[name]), row[name]) for name in LEADERBOARD_COLUMNS),
        *(Cell.number(two_digits(row.get(one.name)), row.get(one.name)) for one in others),
        Cell(""),
    ]
    return [replace(cell, style=f"{cell.style} published".strip()) for cell in cells]


def omitted_titles(tables: RunTables) -> dict[tuple[str, str, str], str]:
    """What the entries without a verdict allow, by model, rules and score."""
    return {
        (row["model"], row["rules"], row["score"]): f"{span(row)} if its {count(row['omitted'])} "
        f"without a verdict were wrong, or right: {causes([row])}"
        for row in tables.every["omitted"]
    }


def without_verdict(tables: RunTables) -> Table | None:
    """The lowest and the highest that each score could be, by what its entries without a verdict are."""
    rows = {(row["model"], row["score"]): row for row in tables["omitted"]}
    models = {model for model, _ in rows}

    def limits(model: Row, name: str) -> Cell:
        row = rows.get((model["model"], name))
        if row is None:
            return Cell.number(NOTHING, None, title="every entry of it has a verdict")
        entries = plural(row["omitted"], "entry", "entries")
        return Cell.number(span(row), row["highest"] - row["lowest"], entries, causes([row]))

    return lines_table(
        "Lowest and highest scores",
        [(model,) for model in tables["leaderboard"] if model["model"] in models],
        [MODEL, *each(LEADERBOARD_COLUMNS, limits)],
        summary="Entries without a verdict: the lowest and the highest that each score could be, if all of "
        "them were wrong, or right",
        drop_empty=True,
    )


def score_cell(
    row: Row, name: str, category: Row | None, omitted: Mapping[tuple[str, str, str], str]
) -> Cell:
    """One score; the interval of a group is in the table `leaderboard`, that of a category in its own.

    omitted: as of `omitted_titles`.
    """
    if row[name] is None:
        return Cell.number(MISSING, None, title="not evaluated")
    limits, prefix = (row, f"{name}_") if category is None else (category, "")
    titles = [note([row["web"]])] if score_mark(row, name, row["web"]) else []
    if is_partial(row, name):
        missing = (category for category in categories_of(name) if row[category] is None)
        titles.append(f"not evaluated, counted as 0: {', '.join(missing)}")
    titles += filter(None, [omitted.get((row["model"], row["rules"], name))])
    return Cell.number(
        marked_score(percent(row[name]), row, name),
        row[name],
        interval(limits.get(f"{prefix}ci_low"), limits.get(f"{prefix}ci_high")),
        "; ".join(titles),
    )


def marked_score(text: str, row: Row, name: str) -> str:
    """A score with the marks that it has in a row of the leaderboard."""
    return text + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, row["web"])


def _unpriced(row: Row) -> Cell:
    """The cost of a model without prices; the official files have the leaderboard's estimate."""
    if row["kind"] in EMBEDDED_KINDS | RECORDED_KINDS:
        return Cell.number(NOTHING, None, title="nothing was sent")
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


def rank_cells(rows: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """The rank of each row of any table with the columns on ranks, in their order; the interval beneath."""
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


def notes_of_ranks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the intervals and lines mean, and the smallest difference that the run could show."""
    notes = rank_notes(rows, "Beneath each rank")
    return [*notes, GROUP_NOTE] if any(begins_group(rows)) else notes


def modes(tables: RunTables) -> Table | None:
    """The differences of each X-FC from X in percentage points; None if the run has no such pair."""
    pairs = _pairs(tables)
    return lines_table(
        "Function calling minus prompts",
        pairs,
        [
            PageColumn("Model", lambda _, prompt: Cell.name(prompt["model"]), "name"),
            *each(
                LEADERBOARD_COLUMNS, lambda called, prompt, name: _difference(called[name], prompt[name])
            ),
        ],
        summary=f"Function calling minus prompts: {plural(len(pairs), 'model', 'models')} in both modes",
        drop_empty=True,
    )


def _pairs(tables: RunTables) -> list[tuple[Row, Row]]:
    """The rows of X-FC and X, in the order of the ranks of X-FC."""
    rows = {row["model"]: row for row in tables["leaderboard"]}
    found = []
    for row in tables["leaderboard"]:
        trial = trial_of(row["model"])
        prompt = rows.get(trial_name(trial.model.removesuffix(_FC), trial.number))
        if trial.model.endswith(_FC) and prompt is not None:
            found.append((row, prompt))
    return found


def _difference(called: float | None, prompt: float | None) -> Cell:
    if called is None or prompt is None:
        return Cell.number("N/A", None, title="not evaluated in both modes")
    points = (called - prompt) * 100
    text = f"{points:+.2f}"
    both = f"{percent(called)} with function calling, {percent(prompt)} with prompts"
    return Cell.number(text[1:] if float(text) == 0 else text, points, title=both)
