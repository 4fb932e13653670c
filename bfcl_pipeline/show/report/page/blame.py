"""The section on what the wrong answers are put down to, from what the command `blame` wrote to the run."""

from collections.abc import Iterator

from bfcl_pipeline.base.text import cut, plural, printable
from bfcl_pipeline.show.report.format import count, two_digits
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model
from bfcl_pipeline.show.report.page.table import (
    LINKED_MODEL,
    Cell,
    PageColumn,
    Table,
    conversation_of,
    each,
    group_headings,
    isolate,
    lines_table,
    linked_entry,
)

SHOWN = 10
"""Answers of each model that are shown of those that its server decided."""

_LONGEST = 400  # characters of a text


def _overall(tables: RunTables) -> list[tuple[Row, dict[str, Row]]]:
    """The row of each model that has causes, and these by name."""
    of_model = by_model(row for row in tables["blame"] if row["category"] == "overall")
    named = ((row, of_model.get(row["model"], ())) for row in tables["leaderboard"])
    return [(row, {cause["cause"]: cause for cause in own}) for row, own in named if own]


def sentences(tables: RunTables) -> Iterator[str]:
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


def answers(tables: RunTables) -> list[Table]:
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
            [(one,) for one in of_model.get(row["model"], ())[:SHOWN]],
            columns,
            style="examples",
            summary=isolate(row["display_name"]) + ": what the model wrote, and what its server read",
            models=conversation_of(row["model"]),
        )
        for row in tables["leaderboard"]
    )
    return [table for table in found if table is not None]
