"""The comparisons that the config asks for: differences of two models, and the entries that flipped.

The tables are those of `bfcl-pipeline compare`, which the rule of this name writes.
"""

from collections.abc import Sequence

from markupsafe import Markup

from bfcl_pipeline.show.report.format import PARTIAL, count, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.table import (
    Cell,
    Table,
    conversation_of,
    headings,
    isolate,
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
    return [
        table
        for pair, rows in pairs.items()
        for table in (
            _differences(_named(pair, names), rows, len(pairs) > IN_FULL),
            *_flips(_named(pair, names), pair, flips[pair]),
        )
    ]


def _named(pair: tuple[str, str], names: dict[str, str]) -> tuple[str, str]:
    """The names that the page shows of a pair of models."""
    return names.get(pair[0], pair[0]), names.get(pair[1], pair[1])


def _differences(pair: tuple[str, str], rows: Sequence[Row], folded: bool) -> Table:
    first, second = pair
    titles = ["Entries", isolate(first), isolate(second), "Difference", "95 % interval"]
    return Table(
        f"{first} and {second}",
        [
            [
                Cell("Score", style="name", scope="col"),
                *headings([*titles, "Only first", "Only second", "p (Holm)", "Detectable"]),
            ]
        ],
        [
            [
                Cell(row["score"] + ("" if row["complete"] else PARTIAL), style="name", scope="row"),
                Cell.number(count(row["entries"]), row["entries"]),
                Cell.number(percent(row["first_accuracy"]), row["first_accuracy"]),
                Cell.number(percent(row["second_accuracy"]), row["second_accuracy"]),
                Cell.number(_signed(row["difference"], 2), row["difference"]),
                Cell.number(_limits(row), row["difference"]),
                Cell.count(row["only_first"]),
                Cell.count(row["only_second"]),
                Cell.number(_probability(row["holm_p"]), row["holm_p"], title=_tests(row)),
                Cell.number(_points(row["detectable"]), row["detectable"]),
            ]
            for row in rows
        ],
        style="comparison",
        summary=f"{first} and {second}: {_overall(rows)}" if folded else "",
    )


def _flips(pair: tuple[str, str], models: tuple[str, str], rows: Sequence[Row]) -> list[Table]:
    if not rows:
        return []
    categories = list(dict.fromkeys(row["category"] for row in rows))
    sides = [[row for row in rows if (row["right"] == models[0]) is own] for own in (True, False)]
    named = (
        f"{count(len(side))} that only {name} has right" for side, name in zip(sides, pair, strict=True)
    )
    return [
        Table(
            f"Entries that only one of {pair[0]} and {pair[1]} has right",
            [headings(["Category", *(f"Only {name}" for name in map(isolate, pair))], "")],
            [
                [
                    Cell(category),
                    *(Cell(_ids([row for row in side if row["category"] == category])) for side in sides),
                ]
                for category in categories
            ],
            style="flips",
            summary=f"Entries: {', '.join(named)}",
            models=conversation_of(*models),
        )
    ]


def _overall(rows: Sequence[Row]) -> str:
    row = rows[0]
    return f"{row['score']} {_signed(row['difference'], 2)} ({_limits(row)})"


def _ids(rows: Sequence[Row]) -> Markup:
    more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return Markup(", ").join(linked_entry(row["entry_id"]) for row in rows[:SHOWN]) + more


def _limits(row: Row) -> str:
    return f"{_signed(row['ci_low'], 1)} to {_signed(row['ci_high'], 1)}"


def _signed(share: float, digits: int) -> str:
    text = f"{share * 100:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _points(share: float | None) -> str:
    return NONE if share is None else percent(share, 1)


def _probability(p: float | None) -> str:
    return NONE if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _tests(row: Row) -> str:
    if row["mcnemar_p"] is None:
        return "groups have an interval instead of a test"
    over = f"{_probability(row['mcnemar_p'])} over entries, {_probability(row['clusters_p'])} over clusters"
    return f"before the correction: {over}"
