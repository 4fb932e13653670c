"""The tables on several trials of a model: spreads, repetitions and flaky entries."""

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.show.report.format import MISSING, count, interval, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS, marked_score
from bfcl_pipeline.show.report.page.table import MODEL, Cell, PageColumn, Table, each, lines_table

MOST_FLAKY = 200
"""Flaky entries that the page lists, of all models together; the table `flaky` has all."""

_ALL_COLUMNS = 5  # of pass^k: with more trials only the powers of two and the last have one


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

    def name(row: Row) -> Cell:
        return Cell.name({"display_name": names.get(row["model"]) or row["model"]})

    def right(row: Row) -> Cell:
        return Cell.number(f"{row['right']} of {row['trials']}", row["right"] / row["trials"])

    return lines_table(
        "Flaky entries",
        [(row,) for row in shown],
        [
            PageColumn("Model", name, "name"),
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
