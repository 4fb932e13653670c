"""Memory in detail: the spread of models, why answers are wrong, and the use of core and archival parts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.judge.scoring.memory_outcomes import MemoryPlace, Pattern, Reason
from bfcl_pipeline.show.report.format import MISSING, percent, short_percent, two_digits
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_lines
from bfcl_pipeline.show.report.page.table import NAME_HEADING, Cell, Table, entry_link, headings, isolate
from bfcl_pipeline.show.report.page.views import defects, marked_entry
from bfcl_pipeline.show.transcripts.reasons import REASONS

ALL = "memory"
"""The category of rows on all memories together."""

PATTERNS: Mapping[Pattern, str] = {
    Pattern.COMPLEMENTARY: "core and archival",
    Pattern.ARCHIVAL_ONLY: "archival only",
    Pattern.CORE_ONLY: "core only",
    Pattern.ONE_TEXT: "one text",
    Pattern.NOTHING: "nothing added",
}


def memory_spread(tables: RunTables) -> Table | None:
    """The best and the worst model of each memory; no table for a single model."""
    if not tables["memory_backends"]:
        return None
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    return Table(
        "Best and worst model by memory",
        [[*headings(["Memory"], ""), *headings(["Models", "Best", "Worst", "Difference", "Mean"])]],
        [
            [
                _memory(row),
                Cell.count(row["models"]),
                _share(row["best"], names[row["best_model"]]),
                _share(row["worst"], names[row["worst_model"]]),
                Cell.number(f"{row['difference'] * 100:.1f}", row["difference"], title="percentage points"),
                _share(row["mean"]),
            ]
            for row in tables["memory_backends"]
        ],
    )


def memory_failures(tables: RunTables) -> Table | None:
    """The wrong answers of each model and memory by reason; a count links to the first of its entries."""
    occurring = {row["reason"] for row in tables["memory_failures"]}
    reasons = [reason for reason in REASONS if reason.value in occurring]
    if not reasons:
        return None
    return Table(
        "Wrong answers to memory questions by reason",
        [
            [
                NAME_HEADING,
                *headings(["Memory"], ""),
                *headings(["Wrong"]),
                *(
                    Cell(REASONS[reason][0], title=REASONS[reason][1], style="number", scope="col")
                    for reason in reasons
                ),
                Cell(
                    "Abstained",
                    title="of the wrong answers, those that say that the model does not know",
                    style="number",
                    scope="col",
                ),
            ]
        ],
        [
            [
                Cell.name(model),
                _memory(rows[0]),
                Cell.count(rows[0]["wrong"]),
                *_by_reason(rows, reasons),
                Cell.count(sum(row["abstained"] for row in rows)),
            ]
            for model, rows in model_lines(tables, tables["memory_failures"])
        ],
        style="sortable map",
    )


def _by_reason(rows: Sequence[Row], reasons: Iterable[Reason]) -> Iterator[Cell]:
    found = {row["reason"]: row for row in rows}
    for reason in reasons:
        row = found.get(reason.value)
        if row is None:
            yield Cell.count(0)
            continue
        cell = Cell.count(row["count"], f"{percent(row['share'], 0)} %")
        yield replace(cell, link=entry_link(row["example_entry_id"], row["model"]))


def memory_examples(tables: RunTables, many: bool) -> Table | None:
    """The first entry of each model and reason, over all memories; none of many models."""
    if many:
        return None
    listed = defects(tables)
    rows = [
        [
            Cell.name(model),
            Cell.sortable(REASONS[Reason(row["reason"])][0]),
            Cell.count(row["count"]),
            marked_entry(row["example_entry_id"], listed, row["model"]),
        ]
        for model, own in model_lines(tables, tables["memory_failures"])
        for row in own
        if row["category"] == ALL
    ]
    if not rows:
        return None
    head = [NAME_HEADING, *headings(["Reason"], ""), *headings(["Entries"]), *headings(["First entry"], "")]
    return Table(
        "First wrong answer of each reason",
        [head],
        rows,
        summary="The first entry of each reason; bfcl-pipeline show prints it with its sessions",
    )


def memory_parts(tables: RunTables) -> Table | None:
    """What each model adds to the parts of a memory, and its accuracy by the part that has the fact."""
    patterns = {(row["model"], row["category"]): row for row in tables["memory_patterns"]}
    own = [row for row in tables["memory_parts"] if row["category"] != ALL]
    if not own:
        return None
    places = [place for place in MemoryPlace if any(row["place"] == place.value for row in own)]
    return Table(
        "Accuracy by part of the memory",
        [
            [
                NAME_HEADING,
                *headings(["Memory", "Adds to"], ""),
                *headings(["Core adds", "Archival adds", "Facts per text"]),
                *headings((f"Fact in {place.value}" for place in places), "center"),
                *headings(["No look-up", "of these right"]),
            ]
        ],
        [
            [
                Cell.name(model),
                _memory(rows[0]),
                *_pattern(patterns.get((model["model"], rows[0]["category"]))),
                *_by_place(rows, places),
                Cell.count(sum(row["without_look_up"] for row in rows)),
                Cell.count(sum(row["without_look_up_correct"] for row in rows)),
            ]
            for model, rows in model_lines(tables, own)
        ],
        style="sortable map",
        summary="Core and archival memory: what is added to them, and accuracy by the part with the fact",
    )


def _pattern(row: Row | None) -> Iterator[Cell]:
    if row is None:
        yield Cell(MISSING)
        yield from (Cell.number(MISSING, None) for _ in range(3))
        return
    yield Cell.sortable(PATTERNS[Pattern(row["pattern"])])
    yield Cell.count(row["core_adds"])
    yield Cell.count(row["archival_adds"])
    yield Cell.number(two_digits(row["facts_per_text"]), row["facts_per_text"])


def _by_place(rows: Sequence[Row], places: Iterable[MemoryPlace]) -> Iterator[Cell]:
    found = {row["place"]: row for row in rows}
    for place in places:
        row = found.get(place.value)
        yield Cell.heat(None, MISSING, title="no fact is there") if row is None else Cell.accuracy(row)


def _memory(row: Row) -> Cell:
    return Cell.sortable("all three" if row["category"] == ALL else row["category"])


def _share(share: float, note: str = "") -> Cell:
    return Cell.number(short_percent(share), share, isolate(note) if note else "")
