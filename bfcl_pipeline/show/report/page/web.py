"""Web search in detail: steps, failures, calls, where answers stood, and what snippets change.

Every table has one row for each model and web category, in the order of ranks. Counts over calls and
results are of the questions whose results are recorded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.format import MISSING, count, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, by_model, model_lines
from bfcl_pipeline.show.report.page.table import (
    NAME_HEADING,
    Cell,
    Table,
    entry_link,
    group_headings,
    headings,
    linked_entry,
)
from bfcl_pipeline.show.transcripts.reasons import FAILURES

CALLS = {
    "searches": "Searches",
    "failed_searches": "Nothing found",
    "repeated_searches": "Repeated",
    "fetches": "Fetches",
    "failed_fetches": "Failed",
    "retried": "Retried",
    "other_source": "Other source",
    "searched_again": "Searched",
    "answered": "Answered",
    "gave_up": "Gave up",
}
"""The counts of `web_questions` that the page sums, and their headings."""

CALL_GROUPS = {"Searches": 3, "Fetches": 2, "After a failed fetch": 5}

PLACES = {
    "answer_in_title": "Title",
    "answer_in_address": "Address",
    "answer_in_snippet": "Snippet",
    "answer_in_page": "Page",
}
"""Where an answer may stand: columns of `web_questions` and their headings."""

MOST_EXAMPLES = 5
"""Entries that are named in one cell."""


@dataclass(frozen=True, slots=True)
class WebPart:
    """One table with the text above it."""

    lead: str
    table: Table


def web_details(tables: RunTables) -> list[WebPart]:
    """The tables on web search that the run has rows for."""
    made = (
        ("Mean number of steps by hops: of all answers, and of the right ones.", _steps(tables)),
        (
            "Wrong answers by kind of failure; one answer may have several. A count leads to the first of "
            "its entries. The kinds on where an answer stood and on failed fetches need the results of the "
            "calls; they are shares of the wrong answers for which these are recorded.",
            _failures(tables),
        ),
        ("", _examples(tables)),
        (
            "Searches and fetches, those that failed, and what the model did next after a failed fetch.",
            _calls(tables),
        ),
        (
            "Where an acceptable answer stood in what the model saw, for right and for wrong answers. "
            "Nowhere, of right answers: the model knew the answer, derived it, or saw it in other words. "
            "Short answers, such as numbers, may stand somewhere by chance.",
            _places(tables),
        ),
        (
            "The same questions with snippets (the texts of search results) and without.",
            _snippets(tables),
        ),
    )
    return [WebPart(lead, table) for lead, table in made if table is not None]


def _steps(tables: RunTables) -> Table | None:
    hops = sorted({row["hops"] for row in tables["web_hops"]})
    if all(row["mean_steps_correct"] is None for row in tables["web_hops"]):  # without a right answer
        return None

    def cells(rows: Sequence[Row]) -> Iterator[Cell]:
        found = {row["hops"]: row for row in rows}
        for number in hops:
            row = found.get(number)
            yield _mean(row["mean_steps"] if row else None)
            yield _mean(row["mean_steps_correct"] if row else None)

    groups = {f"{number} hops": 2 for number in hops}
    return _table("Steps by hops", tables, tables["web_hops"], groups, ["All", "Right"] * len(hops), cells)


def _failures(tables: RunTables) -> Table | None:
    def cells(rows: Sequence[Row]) -> Iterator[Cell]:
        found = {row["failure"]: row for row in rows}
        wrong = rows[0]["wrong"]
        yield Cell.number(count(wrong), wrong)
        for failure in FAILURES:
            yield _failure(found.get(failure))

    return _table("Failures", tables, tables["web_failures"], {}, ["Wrong", *FAILURES.values()], cells)


def _failure(row: Row | None) -> Cell:
    """The wrong answers of one kind."""
    if row is None or not row["known"]:
        return Cell.number(MISSING, None, title="not known")
    share = f"{percent(row['count'] / row['known'], 0)} %" if row["count"] else ""
    cell = Cell.count(row["count"], share, f"{count(row['count'])} of {count(row['known'])} wrong answers")
    example = row["example_entry_id"]
    return replace(cell, link=entry_link(example, row["model"])) if row["count"] and example else cell


def _examples(tables: RunTables) -> Table | None:
    rows = [
        [Cell.name(model), Cell.sortable(FAILURES[row["failure"]]), _entry(row)]
        for model, own in model_lines(tables, tables["web_failures"])
        for row in own
        if row["example_entry_id"] and row["failure"] in FAILURES
    ]
    head = [NAME_HEADING, *headings(["Failure", "Entry"], "")]
    return Table("Examples of failures", [head], rows, summary="Examples of failures") if rows else None


def _entry(row: Row) -> Cell:
    entry_id = row["example_entry_id"]
    return Cell(linked_entry(entry_id, row["model"]), entry_id)


def _calls(tables: RunTables) -> Table | None:
    def cells(rows: Sequence[Row]) -> Iterator[Cell]:
        known = _known(rows)
        yield _of(len(known), len(rows))
        for column in CALLS:
            yield Cell.count(sum(row[column] for row in known))

    groups = {"": 1, **CALL_GROUPS}
    return _table("Calls", tables, tables["web_questions"], groups, ["Recorded", *CALLS.values()], cells)


def _places(tables: RunTables) -> Table | None:
    def cells(rows: Sequence[Row]) -> Iterator[Cell]:
        for valid in (True, False):
            own = [row for row in _known(rows) if row["valid"] is valid]
            yield Cell.count(len(own))
            for column in PLACES:
                yield Cell.count(sum(row[column] for row in own))
            yield _named([row for row in own if not any(row[column] for column in PLACES)], valid)

    groups = {"Right answers": len(PLACES) + 2, "Wrong answers": len(PLACES) + 2}
    titles = ["Recorded", *PLACES.values(), "Nowhere"] * 2
    return _table("Where the answer stood", tables, tables["web_questions"], groups, titles, cells)


def _snippets(tables: RunTables) -> Table | None:
    """Base against no snippet, question by question."""
    base, without = GROUPS["web_search"]
    if {row["category"] for row in tables["web_questions"]} != {base, without}:
        return None
    rows = []
    of_model = by_model(tables["web_questions"])
    for model in tables["leaderboard"]:
        right: dict[str, dict[str, bool]] = {base: {}, without: {}}
        for row in of_model.get(model["model"], ()):
            right[row["category"]][row["entry_id"].removeprefix(row["category"])] = row["valid"]
        both = [number for number in right[base] if number in right[without]]
        kinds = [
            [number for number in both if (right[base][number], right[without][number]) == pair]
            for pair in ((True, True), (True, False), (False, True), (False, False))
        ]
        names: list[list[str]] = [[], [base + n for n in kinds[1]], [without + n for n in kinds[2]], []]
        if both:
            pairs = zip(kinds, names, strict=True)
            cells = (_entries(len(kind), ids, model["model"]) for kind, ids in pairs)
            rows.append([Cell.name(model), Cell.count(len(both)), *cells])
    titles = ["Questions", "Right in both", "Only with", "Only without", "In neither"]
    head = [[NAME_HEADING, *headings(titles)]]
    return Table("Right with and without snippets", head, rows) if rows else None


def _table(
    label: str,
    tables: RunTables,
    rows: Iterable[Row],
    groups: Mapping[str, int],
    titles: Sequence[str],
    cells: Callable[[Sequence[Row]], Iterable[Cell]],
) -> Table | None:
    """A table with a row for each model and category that has `rows`, made by `cells` of these."""
    lines = [[Cell.name(model), _category(own[0]), *cells(own)] for model, own in model_lines(tables, rows)]
    if not lines:
        return None
    grouped = [[Cell("", style="name", width=2), *group_headings(groups)]] if groups else []
    head = [*grouped, [NAME_HEADING, *headings(["Category"], ""), *headings(titles)]]
    return Table(label, head, lines, style="sortable web")


def _category(row: Row) -> Cell:
    web = row["web"]
    return Cell(row["category"] + mark(web), row["category"], title=f"web: {web}" if web else "")


def _known(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["known"]]


def _of(number: int, total: int) -> Cell:
    return Cell.number(count(number), number, "" if number == total else f"of {count(total)}")


def _mean(value: float | None) -> Cell:
    return Cell.number(MISSING if value is None else f"{value:.1f}", value)


def _named(rows: Sequence[Row], named: bool) -> Cell:
    shown = rows if named else []
    return _entries(len(rows), [row["entry_id"] for row in shown], shown[0]["model"] if shown else "")


def _entries(number: int, entry_ids: Sequence[str], model: str) -> Cell:
    """A count, with the first of the entries beneath it and some of them as its tooltip."""
    shown = ", ".join(entry_ids[:MOST_EXAMPLES]) + (", ..." if len(entry_ids) > MOST_EXAMPLES else "")
    first = linked_entry(entry_ids[0], model) if entry_ids else ""
    return Cell.count(number, note=first, title=shown)
