"""Web search: accuracy and steps by hops, failures, calls, where answers stood, what snippets change.

Every table but that on snippets has one row for each model and web category, in the order of ranks. Counts
over calls and results are of the questions whose results are recorded.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.runs.web_label import mark, note
from bfcl_pipeline.show.report.format import MISSING, count, percent
from bfcl_pipeline.show.report.page.run_tables import (
    Row,
    RunTables,
    by_model,
    model_lines,
    model_rows,
    row_with,
)
from bfcl_pipeline.show.report.page.spec_tables import titles
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    each,
    entry_link,
    group_headings,
    lines_table,
    linked_entry,
)
from bfcl_pipeline.show.report.tables.spec import ColumnKind
from bfcl_pipeline.show.report.tables.web import PLACES, WEB_HOPS, WEB_QUESTIONS
from bfcl_pipeline.show.transcripts.reasons import FAILURES

_MEANS = titles(column for column in WEB_HOPS.shown if column.kind is ColumnKind.SHARE)
_OF_QUESTIONS = [column for column in WEB_QUESTIONS.shown if column.group]
_CALLS = [column for column in _OF_QUESTIONS if column.group != PLACES]
_PLACES = titles(column for column in _OF_QUESTIONS if column.group == PLACES)

MOST_EXAMPLES = 5
"""Entries that are named in one cell."""


def web_note(tables: RunTables) -> str:
    """What a web that is not the real one means; empty for the real one."""
    return note(row["web"] for row in tables["web_hops"])


def web_search(tables: RunTables) -> Table | None:
    """Accuracy by hops and means per question, by model and category."""

    def accuracy(_: Row, rows: Sequence[Row], hops: int) -> Cell:
        row = row_with(rows, hops=hops)
        if row is None:
            return Cell.accuracy(None)
        means = ", ".join(f"{title.lower()} {_mean([row], name).text}" for name, title in _MEANS.items())
        return Cell.accuracy(row, row["web"], f"; mean {means}")

    def category(_: Row, rows: Sequence[Row]) -> Cell:
        cell = _category(_, rows)
        return replace(cell, note=cell.title, title="")

    return lines_table(
        "Web search by hops",
        model_lines(tables, tables["web_hops"]),
        [
            MODEL,
            PageColumn("Category", category, ""),
            *each({hops: f"{hops} hops" for hops in _hops(tables)}, accuracy, "center"),
            *each(_MEANS, lambda _, rows, name: _mean(rows, name)),
        ],
        style="sortable map web",
    )


def _mean(rows: Sequence[Row], name: str) -> Cell:
    """The mean over all scored questions, for every number of hops together."""
    scored = [row for row in rows if row[name] is not None]
    answered = sum(row["answered"] for row in scored)
    return _steps_cell(sum(row[name] * row["answered"] for row in scored) / answered if answered else None)


def _steps_cell(value: float | None) -> Cell:
    return Cell.number(MISSING if value is None else f"{value:.1f}", value)


def _hops(tables: RunTables) -> list[int]:
    return sorted({row["hops"] for row in tables["web_hops"]})


def steps(tables: RunTables) -> Table | None:
    """Mean steps by hops, of all answers and of the right ones."""
    if all(row["mean_steps_correct"] is None for row in tables["web_hops"]):  # without a right answer
        return None

    titles = {"mean_steps": "All", "mean_steps_correct": "Right"}
    hops = _hops(tables)
    columns = each(
        {(number, name): title for number in hops for name, title in titles.items()},
        lambda _, rows, key: _steps_cell((row_with(rows, hops=key[0]) or {}).get(key[1])),
    )
    groups = {f"{number} hops": 2 for number in hops}
    return _table("Steps by hops", tables["web_hops"], tables, columns, groups)


def failures(tables: RunTables) -> Table | None:
    """Wrong answers by kind of failure; a count leads to the first of its entries."""

    def cell(_: Row, rows: Sequence[Row], failure: str) -> Cell:
        row = row_with(rows, failure=failure)
        if row is None or not row["known"]:
            return Cell.number(MISSING, None, title="not known")
        share = f"{percent(row['count'] / row['known'], 0)} %" if row["count"] else ""
        about = f"{count(row['count'])} of {count(row['known'])} wrong answers"
        example = row["example_entry_id"]
        link = entry_link(example, row["model"]) if row["count"] and example else ""
        return replace(Cell.count(row["count"], share, about), link=link)

    def wrong(_: Row, rows: Sequence[Row]) -> Cell:
        return Cell.number(count(rows[0]["wrong"]), rows[0]["wrong"])

    return _table(
        "Failures", tables["web_failures"], tables, [PageColumn("Wrong", wrong), *each(FAILURES, cell)]
    )


def examples(tables: RunTables) -> Table | None:
    """The first entry of each kind of failure."""
    rows = (row for row in tables["web_failures"] if row["example_entry_id"] and row["failure"] in FAILURES)

    return lines_table(
        "Examples of failures",
        model_rows(tables, rows),
        [
            MODEL,
            PageColumn("Failure", lambda _, row: Cell.sortable(FAILURES[row["failure"]]), ""),
            PageColumn("Entry", lambda _, row: Cell.entry(row["example_entry_id"], row["model"]), ""),
        ],
        summary="Examples of failures",
    )


def calls(tables: RunTables) -> Table | None:
    """Searches and fetches, and what followed a failed fetch."""

    def recorded(_: Row, rows: Sequence[Row]) -> Cell:
        known = len(_known(rows))
        return Cell.number(count(known), known, "" if known == len(rows) else f"of {count(len(rows))}")

    columns = [
        PageColumn("Recorded", recorded),
        *each(titles(_CALLS), lambda _, rows, name: _sum(_known(rows), name)),
    ]
    return _table(
        "Calls",
        tables["web_questions"],
        tables,
        columns,
        {"": 1, **Counter(column.group for column in _CALLS)},
    )


def _known(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["known"]]


def _sum(rows: Iterable[Row], name: str) -> Cell:
    return Cell.count(sum(row[name] for row in rows))


def places(tables: RunTables) -> Table | None:
    """Where an acceptable answer stood in what the model saw."""

    def columns(valid: bool) -> list[PageColumn]:
        def own(rows: Iterable[Row]) -> list[Row]:
            return [row for row in _known(rows) if row["valid"] is valid]

        def nowhere(_: Row, rows: Sequence[Row]) -> Cell:
            found = [row for row in own(rows) if not any(row[name] for name in _PLACES)]
            return _entries(len(found), found if valid else [])

        return [
            PageColumn("Recorded", lambda _, rows: Cell.count(len(own(rows)))),
            *each(_PLACES, lambda _, rows, name: _sum(own(rows), name)),
            PageColumn("Nowhere", nowhere),
        ]

    groups = {"Right answers": len(_PLACES) + 2, "Wrong answers": len(_PLACES) + 2}
    both = [*columns(True), *columns(False)]
    return _table(PLACES, tables["web_questions"], tables, both, groups)


def snippets(tables: RunTables) -> Table | None:
    """The same questions with snippets and without."""
    base, without = GROUPS["web_search"]
    if {row["category"] for row in tables["web_questions"]} != {base, without}:
        return None
    lines = []
    of_model = by_model(tables["web_questions"])
    for model in tables["leaderboard"]:
        asked: dict[str, dict[str, Row]] = {base: {}, without: {}}
        for row in of_model.get(model["model"], ()):
            asked[row["category"]][row["entry_id"].removeprefix(row["category"])] = row
        pairs = [(row, asked[without][name]) for name, row in asked[base].items() if name in asked[without]]
        if pairs:
            lines.append((model, pairs))

    def kind(title: str, right: tuple[bool, bool], named: int | None = None) -> PageColumn:
        def cell(_: Row, pairs: Sequence[tuple[Row, Row]]) -> Cell:
            own = [pair for pair in pairs if (pair[0]["valid"], pair[1]["valid"]) == right]
            return _entries(len(own), [] if named is None else [pair[named] for pair in own])

        return PageColumn(title, cell)

    return lines_table(
        "Right with and without snippets",
        lines,
        [
            MODEL,
            PageColumn("Questions", lambda _, pairs: Cell.count(len(pairs))),
            kind("Right in both", (True, True)),
            kind("Only with", (True, False), 0),
            kind("Only without", (False, True), 1),
            kind("In neither", (False, False)),
        ],
    )


def _table(
    label: str,
    rows: Iterable[Row],
    tables: RunTables,
    columns: Sequence[PageColumn],
    groups: Mapping[str, int] | None = None,
) -> Table | None:
    """A table with a row for each model and category that has `rows`."""
    above = group_headings(groups, 2) if groups else ()
    lines = model_lines(tables, rows)
    return lines_table(label, lines, [MODEL, _CATEGORY, *columns], above, style="sortable web")


def _category(_: Row, rows: Sequence[Row]) -> Cell:
    web = rows[0]["web"]
    return Cell(rows[0]["category"] + mark(web), rows[0]["category"], title=f"web: {web}" if web else "")


_CATEGORY = PageColumn("Category", _category, "")


def _entries(number: int, named: Sequence[Row]) -> Cell:
    """A count, with the first of the entries beneath it and some of them as its tooltip."""
    shown = ", ".join(row["entry_id"] for row in named[:MOST_EXAMPLES])
    first = linked_entry(named[0]["entry_id"], named[0]["model"]) if named else ""
    return Cell.count(number, note=first, title=shown + (", ..." if len(named) > MOST_EXAMPLES else ""))
