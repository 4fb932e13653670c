"""The tables on trials of one model and comparisons of two.

Covers spreads, repetitions and flaky entries over trials; the differences of the pairs that the config asks
for and the entries that flipped, from the tables that `bfcl-pipeline compare` writes too.
"""

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from bfcl_pipeline.base.text import limit_points, probability, signed_points
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.show.report.format import MISSING, PARTIAL, count, interval, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS, marked_score
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    conversation_of,
    each,
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

MOST_FLAKY = 200
"""Flaky entries that the page lists, of all models together; the table `flaky` has all."""

_ALL_COLUMNS = 5  # of pass^k: with more trials only the powers of two and the last have one


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


def trials(tables: RunTables) -> Table | None:
    """Means and spreads of the scores over trials; models in the order of their first trials."""
    rows = {(row["model"], row["score"]): row for row in tables["trials"]}

    def score(first: Row, name: str) -> Cell:
        return _trial(rows.get((first["model"], name)), first, name)

    return lines_table(
        "Scores over trials",
        _repeated(tables),
        [
            MODEL,
            PageColumn("Trials", lambda first: Cell.count(rows[first["model"], "overall"]["trials"])),
            *each(LEADERBOARD_COLUMNS, score),
        ],
        drop_empty=True,
    )


def repetitions(tables: RunTables) -> Table | None:
    """pass^k, pass@k, standard errors and the number of flaky entries; None if not computed."""
    rows = {row["model"]: row for row in tables["trials"] if row["score"] == "overall"}
    chances = {(row["model"], row["k"]): row for row in tables["pass_k"] if row["score"] == "overall"}
    shown = _shown(max((k for _, k in chances), default=0))
    if not shown:
        return None
    last = shown[-1]
    return lines_table(
        "Repetitions",
        _repeated(tables),
        [
            MODEL,
            *each(
                {k: f"Pass^{k}" for k in shown},
                lambda first, k: _all_right(chances.get((first["model"], k))),
            ),
            PageColumn(
                f"Pass@{last}",
                lambda first: _share((chances.get((first["model"], last)) or {}).get("pass_at_k")),
            ),
            PageColumn("Error from entries", lambda first: _share(rows[first["model"]]["between"])),
            PageColumn("Error from trials", lambda first: _share(rows[first["model"]]["within"])),
            PageColumn("Flaky entries", lambda first: _flaky_count(rows[first["model"]])),
        ],
    )


def flaky(tables: RunTables) -> Table | None:
    """The first flaky entries of each model but for restatements in prompt formats, folded."""
    listed = [
        row for row in tables["flaky"] if CATEGORIES[row["category"]].check is not Check.FORMAT_SENSITIVITY
    ]
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    of_models = by_model(listed)
    most = max(1, MOST_FLAKY // max(1, len(of_models)))
    shown = [row for rows in of_models.values() for row in rows[:most]]
    more = f"; at most {most} of each model are shown, the table flaky has all"
    total = count(len(listed)) + (more if len(shown) < len(listed) else "")

    def right(row: Row) -> Cell:
        return Cell.number(f"{row['right']} of {row['trials']}", row["right"] / row["trials"])

    return lines_table(
        "Flaky entries",
        [(row,) for row in shown],
        [
            PageColumn("Model", lambda row: Cell.name(names.get(row["model"]) or row["model"]), "name"),
            PageColumn("Category", lambda row: Cell.sortable(row["category"]), ""),
            PageColumn("Entry", lambda row: Cell.code(row["entry_id"]), ""),
            PageColumn("Trials right", right),
        ],
        summary=f"Entries whose verdict differs among the trials of a model ({total})",
    )


def _repeated(tables: RunTables) -> list[tuple[Row]]:
    """The rows of the leaderboard of first trials of models with several, as lines of a table."""
    models = {row["model"] for row in tables["trials"] if row["score"] == "overall"}
    return [(row,) for row in tables["leaderboard"] if row["model"] in models]


def _trial(row: Row | None, first: Row, name: str) -> Cell:
    """The score `name` over trials, with the marks of the first."""
    if row is None:
        return Cell.number(MISSING, None, title="not evaluated")
    spread = "" if row["std"] is None else f" \N{PLUS-MINUS SIGN} {percent(row['std'])}"
    title = f"lowest and highest: {interval(row['min'], row['max'])}"
    limits = interval(row["ci_low"], row["ci_high"])
    return Cell.number(marked_score(percent(row["mean"]), first, name) + spread, row["mean"], limits, title)


def _shown(trials: int) -> list[int]:
    """The numbers of repetitions that have a column."""
    if trials <= _ALL_COLUMNS:
        return list(range(1, trials + 1))
    powers = [1 << place for place in range(trials.bit_length()) if 1 << place < trials]
    return [*powers, trials]


def _all_right(row: Row | None) -> Cell:
    if row is None:
        return Cell.number(MISSING, None, title="not all categories have so many verdicts")
    title = f"{count(row['entries'])} entries"
    return Cell.number(
        percent(row["pass_k"]), row["pass_k"], interval(row["ci_low"], row["ci_high"]), title
    )


def _share(share: float | None) -> Cell:
    return Cell.number(percent(share), share)


def _flaky_count(row: Row) -> Cell:
    if row["flaky"] is None:
        return Cell.number(MISSING, None)
    title = "entries with a verdict in two trials or more"
    return Cell.number(count(row["flaky"]), row["flaky"], f"of {count(row['entries'])}", title)
