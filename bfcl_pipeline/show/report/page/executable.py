"""The section on the executable categories of V1, which are in no score of V4."""

from collections.abc import Iterator
from dataclasses import replace

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config.job import RECORDED_MODES
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.runs.web_label import mark, note, split_webs
from bfcl_pipeline.show.report.format import MISSING, NOTHING, count, interval, percent
from bfcl_pipeline.show.report.notes import BIAS, is_biased
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.spec_tables import titles
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    each,
    entries_link,
    group_headings,
    lines_table,
)
from bfcl_pipeline.show.report.tables.executable import EXECUTABLE_SCORES, OVERALL_OF_2024, UNRANKED

KINDS = {
    "simple_python": "exec_simple",
    "multiple": "exec_multiple",
    "parallel": "exec_parallel",
    "parallel_multiple": "exec_parallel_multiple",
}
"""The categories whose calls are compared by AST, each with the one whose calls are executed."""

_WAYS = ("AST", "Executed")


def executable(tables: RunTables) -> Table | None:
    """The scores; None for a run without any of these categories."""
    models = {row["model"]: row for row in tables["leaderboard"]}
    return lines_table(
        "Executable categories of V1",
        [(row,) for row in tables["executable"]],
        [
            PageColumn("Model", lambda row: Cell.linked_name(models[row["model"]]), "name"),
            *each(titles(EXECUTABLE_SCORES.shown), _score),
            PageColumn(
                "Requests answered",
                _web,
                tooltip="What answered the requests of executed calls; beneath, the verdicts on entries "
                "whose expected calls request the web",
            ),
            PageColumn(
                "No verdict",
                _no_verdict,
                tooltip="Entries in no score; beneath, those of them that need a web answer which is not "
                "recorded",
            ),
        ],
        drop_empty=True,
        style="sortable leaderboard",
    )


def ast_and_executed(tables: RunTables) -> Table | None:
    """AST and executed accuracy on the same kinds of questions; None without a model that has both."""
    rows = {(row["model"], row["category"]): row for row in tables["categories"] if row["answered"]}
    titles = {name: title for pair in KINDS.items() for name, title in zip(pair, _WAYS, strict=True)}
    return lines_table(
        "AST and executed accuracy",
        [
            (model,)
            for model in tables["leaderboard"]
            if any({(model["model"], name) for name in pair} <= rows.keys() for pair in KINDS.items())
        ],
        [
            MODEL,
            *each(titles, lambda model, name: Cell.accuracy(rows.get((model["model"], name))), "center"),
        ],
        group_headings(dict.fromkeys((kind.replace("_", " ").capitalize() for kind in KINDS), 2)),
        drop_empty=True,
        style="sortable map web",
    )


def of_2024(tables: RunTables) -> bool:
    """Whether the table has the overall of August 2024."""
    return any(row[OVERALL_OF_2024] is not None for row in tables["executable"])


def _score(row: Row, name: str) -> Cell:
    if row[name] is None:
        return Cell.number(MISSING, None, title="not evaluated")
    executed = name not in UNRANKED
    cell = Cell.number(
        percent(row[name]) + (mark(row["web"]) if executed else ""),
        row[name],
        interval(row.get(f"{name}_ci_low"), row.get(f"{name}_ci_high")),
        note([row["web"]]) if executed else "",
    )
    if name not in GROUPS["executable"]:
        return cell
    wrong = {"verdict": "wrong"} if row[name] < 1 else {}
    return replace(cell, link=entries_link(model=row["model"], category=name, **wrong))


def _web(row: Row) -> Cell:
    if row["web"] is None:
        return Cell.number(NOTHING, None, title="no call was executed")
    if row["with_requests"] is None:
        return Cell(row["web"], row["web"], style="number")
    verdicts = plural(row["with_requests"], "verdict", "verdicts")
    if 0 < row["simulated"] < row["with_requests"]:
        verdicts += f", {count(row['simulated'])} of them simulated"
    return Cell(row["web"], row["web"], verdicts, style="number")


def _no_verdict(row: Row) -> Cell:
    unrecorded = f"{count(row['not_recorded'])} not recorded" if row["not_recorded"] else ""
    return Cell.count(row["not_answered"], unrecorded)


def notes(tables: RunTables) -> Iterator[str]:
    """Sentences about marks and missing verdicts."""
    rows = tables["executable"]
    if meaning := note(row["web"] for row in rows):
        yield f"{meaning}."
    if any(name in RECORDED_MODES for row in rows for name in split_webs(row["web"])):
        yield "record, replay: answers of the real web, recorded once; expected calls read the same ones."
    if any(row["not_recorded"] for row in rows):
        yield "Entries whose verdict needs a web answer that is not recorded have none and are in no score."
    if is_biased(rows):
        yield BIAS
