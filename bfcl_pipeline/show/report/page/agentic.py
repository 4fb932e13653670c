"""Memory and web search: accuracy by scenario and by hops, and how the models used the tools."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.format import MISSING, count
from bfcl_pipeline.show.report.page.intervals import scenario_range
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_lines
from bfcl_pipeline.show.report.page.table import NAME_HEADING, Cell, Table, group_headings, headings
from bfcl_pipeline.show.report.tables.memory import MEMORY_USE

MEMORY_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "Calls in the sessions": {
        "adds": "Add",
        "replaces": "Replace",
        "removes": "Remove",
        "clears": "Clear",
        "searches": "Search",
        "retrievals": "Read",
        "core_calls": "Core",
        "archival_calls": "Archival",
        "errors": "Failed",
    },
    "Contents": {"core_entries": "Core", "archival_entries": "Archival"},
    "Facts": {
        "stored": "Stored",
        "kept": "Kept",
        "lost": "Lost",
        "lost_within": "In session",
        "lost_while_full": "When full",
    },
    "At the questions": {
        "question_searches": "Search",
        "question_retrievals": "Read",
        "question_errors": "Failed",
        "without_look_up": "No look-up",
    },
}
"""Columns of `memory_use` that the page shows, summed over scenarios, and their headings, by group."""

MEMORY_COUNTS = [field.name for field in MEMORY_USE.columns if field.type == "int64"]

WEB_MEANS = {"mean_steps": "Steps", "mean_searches": "Searches", "mean_fetches": "Fetches"}
"""The means of `web_hops` and their headings."""


def memory_accuracy(tables: RunTables) -> Table | None:
    """Accuracy in each scenario; models in the order of ranks, memories and scenarios in the release's."""
    scenarios = list(dict.fromkeys(row["scenario"] for row in tables["memory_domains"]))
    if not scenarios:
        return None
    ranges = {(row["model"], row["score"]): row for row in tables["intervals"]}
    return Table(
        "Memory by scenario",
        [
            [
                NAME_HEADING,
                *headings(["Memory"], ""),
                *headings(scenarios, "center"),
                *headings(["Without one"] if ranges else []),
            ]
        ],
        [
            [
                Cell.name(model),
                Cell.sortable(rows[0]["category"]),
                *_accuracies(rows, "scenario", scenarios),
                *([scenario_range(ranges.get((model["model"], rows[0]["category"])))] if ranges else []),
            ]
            for model, rows in model_lines(tables, tables["memory_domains"])
        ],
        style="sortable map formats",
    )


def memory_use(tables: RunTables) -> Table | None:
    """How each model used its memory; no table if no session is recorded."""
    if not tables["memory_use"]:
        return None
    columns = {name: title for group in MEMORY_COLUMNS.values() for name, title in group.items()}
    groups = {title: len(group) for title, group in MEMORY_COLUMNS.items()}
    return Table(
        "Use of memory",
        [
            [Cell("", style="name", width=3), *group_headings(groups)],
            [NAME_HEADING, *headings(["Memory"], ""), *headings(["Sessions", *columns.values()])],
        ],
        [
            [
                replace(Cell.name(model), value=None),
                Cell(rows[0]["category"]),
                *_memory_use(rows, columns),
            ]
            for model, rows in model_lines(tables, tables["memory_use"])
        ],
        style="use",
        summary="Calls, contents and facts of each model and memory",
    )


def web_search(tables: RunTables) -> Table | None:
    """Accuracy by hops and means per question, by model and category."""
    hops = sorted({row["hops"] for row in tables["web_hops"]})
    if not hops:
        return None
    return Table(
        "Web search by hops",
        [
            [
                NAME_HEADING,
                *headings(["Category"], ""),
                *headings((f"{number} hops" for number in hops), "center"),
                *headings(WEB_MEANS.values()),
            ]
        ],
        [
            [
                Cell.name(model),
                _web_category(rows[0]),
                *_accuracies(rows, "hops", hops),
                *(_mean(rows, name) for name in WEB_MEANS),
            ]
            for model, rows in model_lines(tables, tables["web_hops"])
        ],
        style="sortable map web",
    )


def _accuracies(rows: Sequence[Row], column: str, values: Iterable[object]) -> Iterator[Cell]:
    """The accuracy in the row with each of the values of `column`."""
    found = {row[column]: row for row in rows}
    for value in values:
        row = found.get(value)
        yield Cell.accuracy(row, row.get("web") if row else None, _means(row) if row else "")


def _means(row: Row) -> str:
    """The means of a row of `web_hops` as the end of a tooltip."""
    if "mean_steps" not in row:
        return ""
    means = ", ".join(f"{title.lower()} {_mean([row], name).text}" for name, title in WEB_MEANS.items())
    return f"; mean {means}"


def _memory_use(rows: Sequence[Row], columns: Iterable[str]) -> Iterator[Cell]:
    sums: Counter[str] = Counter()
    for row in rows:
        sums.update({name: row[name] for name in MEMORY_COUNTS if row[name] is not None})
    completed = sums["sessions_held"]
    yield Cell.number(f"{count(completed)}/{count(sums['sessions'])}", completed)
    for name in columns:
        is_fact = name in MEMORY_COLUMNS["Facts"]
        yield Cell.count(sums[name], title=f"of {count(sums['questions'])}" if is_fact else "")


def _web_category(row: Row) -> Cell:
    web = row["web"]
    return Cell(row["category"] + mark(web), row["category"], f"web: {web}" if web else "")


def _mean(rows: Sequence[Row], name: str) -> Cell:
    """The mean over all scored questions, for every number of hops together."""
    scored = [row for row in rows if row[name] is not None]
    answered = sum(row["answered"] for row in scored)
    if not answered:
        return Cell.number(MISSING, None)
    mean = sum(row[name] * row["answered"] for row in scored) / answered
    return Cell.number(f"{mean:.1f}", mean)
