"""The comparisons that the config asks for: differences of two models, and the entries that flipped.

The tables are those of `bfcl-pipeline compare`, which the rule of this name writes.
"""

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from bfcl_pipeline.base.text import limit_points, probability, signed_points
from bfcl_pipeline.show.report.format import PARTIAL, count, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.table import (
    Cell,
    PageColumn,
    Table,
    conversation_of,
    isolate,
    lines_table,
    linked_entry,
)

IN_FULL = 1
"""With more pairs than this, the table of each is folded."""

NONE = "\N{EN DASH}"
"""Shown where a score has no such number."""

SHOWN = 100
"""Ids of flipped entries in one cell; all are in tables/flips.csv."""


def comparisons(tables: RunTables) -> list[Table]:
    """For each pair a table of differences, and one of the entries that flipped if there are any."""
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in tables["comparisons"]:
        pairs.setdefault((row["first"], row["second"]), []).append(row)
    flips: dict[tuple[str, str], list[Row]] = {pair: [] for pair in pairs}
    for row in tables["flips"]:
        flips.setdefault((row["first"], row["second"]), []).append(row)
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    found = []
    for pair, rows in pairs.items():
        shown = names.get(pair[0], pair[0]), names.get(pair[1], pair[1])
        found += [_differences(shown, rows, len(pairs) > IN_FULL), _flips(shown, pair, flips[pair])]
    return [table for table in found if table is not None]


def _differences(pair: tuple[str, str], rows: Sequence[Row], folded: bool) -> Table | None:
    def number(title: str, name: str, shown: Callable[[Any], str]) -> PageColumn:
        return PageColumn(title, lambda row: Cell.number(shown(row[name]), row[name]))

    def score(row: Row) -> Cell:
        return Cell(row["score"] + ("" if row["complete"] else PARTIAL), style="name", scope="row")

    def p_value(row: Row) -> Cell:
        return Cell.number(_probability(row["holm_p"]), row["holm_p"], title=_tests(row))

    first, second = pair
    return lines_table(
        f"{first} and {second}",
        [(row,) for row in rows],
        [
            PageColumn("Score", score, "name"),
            number("Entries", "entries", count),
            number(isolate(first), "first_accuracy", percent),
            number(isolate(second), "second_accuracy", percent),
            number("Difference", "difference", signed_points),
            PageColumn("95 % interval", lambda row: Cell.number(_limits(row), row["difference"])),
            PageColumn("Only first", lambda row: Cell.count(row["only_first"])),
            PageColumn("Only second", lambda row: Cell.count(row["only_second"])),
            PageColumn("p (Holm)", p_value),
            number("Detectable", "detectable", lambda share: NONE if share is None else percent(share, 1)),
        ],
        style="comparison",
        summary=f"{first} and {second}: {_overall(rows)}" if folded else "",
    )


def _flips(pair: tuple[str, str], models: tuple[str, str], rows: Sequence[Row]) -> Table | None:
    right = {model: [row for row in rows if row["right"] == model] for model in models}

    def only(name: str, model: str) -> PageColumn:
        def ids(category: str) -> Cell:
            return Cell(_ids([row for row in right[model] if row["category"] == category]))

        return PageColumn(f"Only {isolate(name)}", ids, "")

    named = [
        f"{count(len(right[model]))} that only {name} has right"
        for name, model in zip(pair, models, strict=True)
    ]
    return lines_table(
        f"Entries that only one of {pair[0]} and {pair[1]} has right",
        [(category,) for category in dict.fromkeys(row["category"] for row in rows)],
        [PageColumn("Category", Cell, ""), *map(only, pair, models)],
        style="flips",
        summary=f"Entries: {', '.join(named)}",
        models=conversation_of(*models),
    )


def _overall(rows: Sequence[Row]) -> str:
    row = rows[0]
    return f"{row['score']} {signed_points(row['difference'])} ({_limits(row)})"


def _ids(rows: Sequence[Row]) -> Markup:
    more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return Markup(", ").join(linked_entry(row["entry_id"]) for row in rows[:SHOWN]) + more


def _limits(row: Row) -> str:
    return f"{limit_points(row['ci_low'])} to {limit_points(row['ci_high'])}"


def _probability(p: float | None) -> str:
    return NONE if p is None else probability(p)


def _tests(row: Row) -> str:
    if row["mcnemar_p"] is None:
        return "groups have an interval instead of a test"
    over = f"{_probability(row['mcnemar_p'])} over entries, {_probability(row['clusters_p'])} over clusters"
    return f"before the correction: {over}"
