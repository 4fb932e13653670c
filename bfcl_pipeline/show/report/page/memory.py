"""Memory: accuracy by scenario, the spread of models, why answers are wrong, and how it was used."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from bfcl_pipeline.judge.scoring.memory_outcomes import MemoryPlace, Pattern, Reason
from bfcl_pipeline.show.report.format import MISSING, count, interval, percent, short_percent, two_digits
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_lines, row_with
from bfcl_pipeline.show.report.page.spec_tables import titles
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    each,
    entry_link,
    group_headings,
    isolate,
    lines_table,
)
from bfcl_pipeline.show.report.page.views import defects, marked_entry
from bfcl_pipeline.show.report.tables.memory import FACTS, MEMORY_USE
from bfcl_pipeline.show.report.tables.spec import ColumnKind
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

_USE = [column for column in MEMORY_USE.shown if column.group]

_COUNTS = [column.name for column in MEMORY_USE.columns if column.kind is ColumnKind.COUNT]


def _memory(row: Row) -> Cell:
    return Cell.sortable("all three" if row["category"] == ALL else row["category"])


_MEMORY = PageColumn("Memory", lambda _, rows: _memory(rows[0]), "")


def memory_accuracy(tables: RunTables) -> Table | None:
    """Accuracy in each scenario; models in the order of ranks, memories and scenarios in the release's."""
    scenarios = {row["scenario"]: row["scenario"] for row in tables["memory_domains"]}
    ranges = {(row["model"], row["score"]): row for row in tables["intervals"]}
    without_one = PageColumn(
        "Without one", lambda _, rows: _range(ranges.get((rows[0]["model"], rows[0]["category"])))
    )
    return lines_table(
        "Memory by scenario",
        model_lines(tables, tables["memory_domains"]),
        [
            MODEL,
            _MEMORY,
            *each(scenarios, lambda _, rows, name: Cell.accuracy(row_with(rows, scenario=name)), "center"),
            without_one,
        ],
        style="sortable map formats",
    )


def _range(row: Row | None) -> Cell:
    """The accuracy on a memory with one scenario left out: lowest to highest."""
    if row is None or row["scenario_low"] is None:
        return Cell.number(MISSING, None, title="fewer than two scenarios")
    return Cell.number(interval(row["scenario_low"], row["scenario_high"]), row["scenario_low"])


def memory_spread(tables: RunTables) -> Table | None:
    """The best and the worst model of each memory; no table for a single model."""
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}

    def share(row: Row, name: str) -> Cell:
        model = row.get(f"{name}_model")
        return Cell.number(short_percent(row[name]), row[name], isolate(names[model]) if model else "")

    def difference(row: Row) -> Cell:
        return Cell.number(f"{row['difference'] * 100:.1f}", row["difference"], title="percentage points")

    return lines_table(
        "Best and worst model by memory",
        [(row,) for row in tables["memory_backends"]],
        [
            PageColumn("Memory", _memory, ""),
            PageColumn("Models", lambda row: Cell.count(row["models"])),
            *each({"best": "Best", "worst": "Worst"}, share),
            PageColumn("Difference", difference),
            PageColumn("Mean", lambda row: share(row, "mean")),
        ],
    )


def memory_failures(tables: RunTables) -> Table | None:
    """The wrong answers of each model and memory by reason; a count links to the first of its entries."""
    occurring = {row["reason"] for row in tables["memory_failures"]}

    def wrong(row: Row | None) -> Cell:
        if row is None:
            return Cell.count(0)
        cell = Cell.count(row["count"], f"{percent(row['share'], 0)} %")
        return replace(cell, link=entry_link(row["example_entry_id"], row["model"]))

    reasons = [
        PageColumn(
            title, lambda _, rows, reason=reason: wrong(row_with(rows, reason=reason.value)), tooltip=about
        )
        for reason, (title, about) in REASONS.items()
        if reason.value in occurring
    ]
    abstained = PageColumn(
        "Abstained",
        lambda _, rows: Cell.count(sum(row["abstained"] for row in rows)),
        tooltip="of the wrong answers, those that say that the model does not know",
    )
    return lines_table(
        "Wrong answers to memory questions by reason",
        model_lines(tables, tables["memory_failures"]) if reasons else (),
        [
            MODEL,
            _MEMORY,
            PageColumn("Wrong", lambda _, rows: Cell.count(rows[0]["wrong"])),
            *reasons,
            abstained,
        ],
        style="sortable map",
    )


def memory_examples(tables: RunTables, many: bool) -> Table | None:
    """The first entry of each model and reason, over all memories; none of many models."""
    listed = defects(tables)
    lines = [] if many else model_lines(tables, tables["memory_failures"])

    def entry(_: Row, row: Row) -> Cell:
        return marked_entry(row["example_entry_id"], listed, row["model"])

    return lines_table(
        "First wrong answer of each reason",
        [(model, row) for model, rows in lines for row in rows if row["category"] == ALL],
        [
            MODEL,
            PageColumn("Reason", lambda _, row: Cell.sortable(REASONS[Reason(row["reason"])][0]), ""),
            PageColumn("Entries", lambda _, row: Cell.count(row["count"])),
            PageColumn("First entry", entry, ""),
        ],
        summary="The first entry of each reason; bfcl-pipeline show prints it with its sessions",
    )


def memory_parts(tables: RunTables) -> Table | None:
    """What each model adds to the parts of a memory, and its accuracy by the part that has the fact."""
    patterns = {(row["model"], row["category"]): row for row in tables["memory_patterns"]}
    own = [row for row in tables["memory_parts"] if row["category"] != ALL]
    found = {row["place"] for row in own}
    places = {place.value: f"Fact in {place.value}" for place in MemoryPlace if place.value in found}

    def accuracy(row: Row | None) -> Cell:
        return Cell.heat(None, MISSING, title="no fact is there") if row is None else Cell.accuracy(row)

    def summed(_: Row, rows: list[Row], name: str) -> Cell:
        return Cell.count(sum(row[name] for row in rows))

    def added(title: str, cell: Callable[[Row], Cell], style: str = "number") -> PageColumn:
        def of_pattern(model: Row, rows: list[Row]) -> Cell:
            row = patterns.get((model["model"], rows[0]["category"]))
            return cell(row) if row else Cell.number(MISSING, None) if style else Cell(MISSING)

        return PageColumn(title, of_pattern, style)

    return lines_table(
        "Accuracy by part of the memory",
        model_lines(tables, own),
        [
            MODEL,
            _MEMORY,
            added("Adds to", lambda row: Cell.sortable(PATTERNS[Pattern(row["pattern"])]), ""),
            added("Core adds", lambda row: Cell.count(row["core_adds"])),
            added("Archival adds", lambda row: Cell.count(row["archival_adds"])),
            added(
                "Facts per text",
                lambda row: Cell.number(two_digits(row["facts_per_text"]), row["facts_per_text"]),
            ),
            *each(places, lambda _, rows, place: accuracy(row_with(rows, place=place)), "center"),
            *each({"without_look_up": "No look-up", "without_look_up_correct": "of these right"}, summed),
        ],
        style="sortable map",
        summary="Core and archival memory: what is added to them, and accuracy by the part with the fact",
    )


def memory_use(tables: RunTables) -> Table | None:
    """How each model used its memory; no table if no session is recorded."""
    lines = []
    for model, rows in model_lines(tables, tables["memory_use"]):
        sums: Counter[str] = Counter()
        for row in rows:
            sums.update({name: row[name] for name in _COUNTS if row[name] is not None})
        lines.append((model, rows[0]["category"], sums))

    def sessions(_: Row, __: str, sums: Counter[str]) -> Cell:
        held = sums["sessions_held"]
        return Cell.number(f"{count(held)}/{count(sums['sessions'])}", held)

    facts = {column.name for column in _USE if column.group == FACTS}

    def summed(_: Row, __: str, sums: Counter[str], name: str) -> Cell:
        return Cell.count(sums[name], title=f"of {count(sums['questions'])}" if name in facts else "")

    return lines_table(
        "Use of memory",
        lines,
        [
            replace(MODEL, cell=lambda model, *_: replace(Cell.name(model["display_name"]), value=None)),
            PageColumn("Memory", lambda _, category, __: Cell(category), ""),
            PageColumn("Sessions", sessions),
            *each(titles(_USE), summed),
        ],
        group_headings(Counter(column.group for column in _USE), 3),
        style="use",
        summary="Calls, contents and facts of each model and memory",
    )
