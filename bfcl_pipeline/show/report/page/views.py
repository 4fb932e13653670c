"""The three rule sets side by side: scores with ceilings, differences by category, and the errata.

The table `errata` has one row per model; here its rows are joined to one per entry and defect.
"""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report import notes
from bfcl_pipeline.show.report.format import MISSING, count, percent
from bfcl_pipeline.show.report.notes import own_errata_notes
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, model_rows
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS, omitted_titles, score_cell
from bfcl_pipeline.show.report.page.spec_tables import spec_table
from bfcl_pipeline.show.report.page.table import (
    MODEL,
    Cell,
    PageColumn,
    Table,
    each,
    lines_table,
)
from bfcl_pipeline.show.report.tables.corrections import CORRECTIONS

ERRATA_MARK = "\N{DOUBLE DAGGER}"
"""The mark of an entry with a confirmed or disputed defect."""

COLUMNS = {name: title for name, title in LEADERBOARD_COLUMNS.items() if name in GROUP}
"""The scores that are compared, and their headings."""


def views(tables: RunTables) -> Table | None:
    """The scores of each model under each rule set; no table if the run has one rule set.

    Models in the order of ranks under the rules of the page; the ceilings are in the foot.
    """
    rows = {(row["model"], row["rules"]): row for row in tables.every["leaderboard"]}
    present = [rules for rules in Rules if any(name == rules.value for _, name in rows)]
    ceilings = {(row["rules"], row["score"]): row for row in tables.every["ceilings"]}
    omitted = omitted_titles(tables)
    foot = [
        [
            Cell("Ceiling", style="name", scope="row"),
            Cell(rules.value),
            *(_ceiling(ceilings.get((rules.value, name))) for name in COLUMNS),
        ]
        for rules in present
    ]
    return lines_table(
        "Scores by rules",
        [
            (rows[model["model"], rules.value], place)
            for model in tables["leaderboard"]
            for place, rules in enumerate(present)
            if (model["model"], rules.value) in rows and len(present) > 1
        ],
        [
            MODEL,
            PageColumn("Rules", lambda row, place: Cell(row["rules"], place), ""),
            *each(COLUMNS, lambda row, _, name: score_cell(row, name, None, omitted)),
        ],
        foot=foot if ceilings else (),
        style="sortable views",
        drop_empty=True,
    )


def corrections(tables: RunTables) -> Table | None:
    """What each correction does to the overall score of each model, in percentage points."""
    return spec_table(
        "What the corrections do",
        tables,
        CORRECTIONS,
        [row for row in tables["corrections"] if row["score"] == "overall"],
        style="sortable corrections",
        summary="What each correction does to the Overall, in points",
    )


def _ceiling(row: Row | None) -> Cell:
    if row is None:
        return Cell.number(MISSING, None, title="not evaluated")
    lost = f"{count(row['unreachable'])} of {count(row['entries'])} entries: no faithful answer passes"
    return Cell.number(percent(row["ceiling"]), row["ceiling"], title=lost)


def unlisted_note(tables: RunTables) -> str:
    """The rate of defects that no erratum has; empty without ceilings."""
    return next(map(notes.unlisted_note, tables.every["ceilings"]), "")


def rules_summary(tables: RunTables) -> str:
    """The numbers of differing verdicts and of mended and left-out entries; empty without verdicts."""
    rows = tables["rules"]
    if not rows:
        return ""
    compared, flipped = (count(sum(row[name] for row in rows)) for name in ("entries", "flipped"))
    pairs = sum(bool(row["flipped"]) for row in rows)
    mended, left_out = (_entries(rows, name) for name in ("mended", "left_out"))
    sentences = (
        f"{compared} entries have verdicts under official and corrected rules; {flipped} differ, "
        f"in {pairs} of {len(rows)} pairs of model and category.",
        f"Verified rules: entries mended: {count(mended)}, left out: {count(left_out)}.",
        *own_errata_notes(tables["own_errata"]),
    )
    return " ".join(sentences)


def _entries(rows: Sequence[Row], name: str) -> int:
    """The sum over categories but format sensitivity; of models with different samples the largest."""
    by_category: dict[str, int] = {}
    for row in rows:
        if CATEGORIES[row["category"]].check is not Check.FORMAT_SENSITIVITY:
            by_category[row["category"]] = max(by_category.get(row["category"], 0), row[name])
    return sum(by_category.values())


def rules(tables: RunTables) -> Table | None:
    """Each model and category with verdicts that differ between rule sets, or with defective entries."""
    changes = ("flipped", "mended", "left_out")

    def accuracy(_: Row, row: Row, rules: Rules) -> Cell:
        return _changed(row[f"{rules}_accuracy"], row["official_accuracy"])

    return lines_table(
        "Rule sets by category",
        model_rows(tables, (row for row in tables["rules"] if any(row[name] for name in changes))),
        [
            MODEL,
            PageColumn("Category", lambda _, row: Cell.sortable(row["category"] + mark(row["web"])), ""),
            *each({rules: rules.value.capitalize() for rules in Rules}, accuracy),
            PageColumn("Made valid", lambda _, row: Cell.count(row["to_valid"])),
            PageColumn("Made invalid", lambda _, row: Cell.count(row["to_invalid"])),
            PageColumn("Mended", lambda _, row: Cell.count(row["mended"], title=_mended(row))),
            PageColumn("Left out", lambda _, row: Cell.count(row["left_out"])),
            PageColumn("Entries", lambda _, row: Cell.number(count(row["entries"]), row["entries"])),
        ],
        summary="By category: accuracies, and verdicts that corrected rules made valid or invalid",
    )


def _changed(accuracy: float | None, official: float) -> Cell:
    if accuracy is None:
        return Cell.number(MISSING, None)
    difference = f"{(accuracy - official) * 100:+.2f}" if accuracy != official else ""
    return Cell.number(percent(accuracy), accuracy, difference)


def _mended(row: Row) -> str:
    if not row["mended"]:
        return ""
    made = f"{count(row['verified_to_valid'])} made valid, {count(row['verified_to_invalid'])} made invalid"
    return f"of these, by mending: {made}"


def errata(tables: RunTables) -> Table | None:
    """Each defect of an entry of the run, with the number of models that failed the entry.

    Restatements in prompt formats, which have the defects of their base entries, are left out.
    """
    listed = [
        row for row in tables["errata"] if CATEGORIES[row["category"]].check is not Check.FORMAT_SENSITIVITY
    ]
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in listed:
        grouped.setdefault((row["entry_id"], row["defect"]), []).append(row)
    treated = {row["entry_id"]: row["treatment"] for row in listed}
    counts = {kind: list(treated.values()).count(kind.value) for kind in Treatment}
    names = {kind: "as they are" if kind is Treatment.AS_IT_IS else kind.value for kind in Treatment}
    texts = ", ".join(f"{count(number)} {names[kind]}" for kind, number in counts.items() if number)
    return lines_table(
        "Entries with a defect",
        [(rows,) for rows in grouped.values()],
        [
            PageColumn("Entry", lambda rows: Cell.entry(rows[0]["entry_id"]), ""),
            PageColumn("What is wrong", lambda rows: Cell.message(rows[0]["what"]), ""),
            PageColumn("Defect", lambda rows: Cell.sortable(rows[0]["defect"]), ""),
            PageColumn("Status", lambda rows: Cell.sortable(rows[0]["status"]), ""),
            PageColumn("Verified rules", lambda rows: Cell.sortable(rows[0]["treatment"]), ""),
            *each(
                {f"{rules}_valid": f"Failed, {rules.value}" for rules in Rules},
                lambda rows, name: _failed([row[name] for row in rows]),
            ),
        ],
        style="sortable errata",
        summary=f"{ERRATA_MARK} Entries with a confirmed or disputed defect ({texts}), and the models that "
        "failed them",
    )


def _failed(marks: Sequence[bool | None]) -> Cell:
    """How many of the models with a verdict failed."""
    judged = len(marks) - marks.count(None)
    if not judged:
        return Cell.number("\N{EN DASH}", None)
    return Cell.number(f"{count(marks.count(False))} of {count(judged)}", marks.count(False))


def defects(tables: RunTables) -> Mapping[str, str]:
    """What is wrong with each entry of the run that the errata list, by its id."""
    found: dict[str, dict[str, None]] = {}
    for row in tables["errata"]:
        found.setdefault(row["entry_id"], {})[row["what"]] = None
    return {entry_id: " ".join(texts) for entry_id, texts in found.items()}


def marked_entry(entry_id: str, defects: Mapping[str, str], *models: str) -> Cell:
    """An entry id; with a mark, and what is wrong as a tooltip, if it is one of `defects`.

    models: whose conversation it leads to; none: the models of its table (`Table.models`).
    """
    cell = Cell.entry(entry_id, *models)
    if entry_id not in defects:
        return cell
    text = cell.text + Markup("&nbsp;") + ERRATA_MARK
    return Cell(text, entry_id, title=f"defect of the entry: {defects[entry_id]}")
