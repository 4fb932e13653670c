"""The tables of the site: all models, archives without a rank, and the categories of one archive."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.web_label import note
from bfcl_pipeline.share.gallery.record import OWN_ERRATA, ArchiveRecord, ModelRecord, Reproduction
from bfcl_pipeline.share.gallery.standings import Standing, Standings
from bfcl_pipeline.show.report.format import is_partial, two_digits
from bfcl_pipeline.show.report.notes import mode_label
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS, rank_cells, score_cell
from bfcl_pipeline.show.report.page.table import (
    NAME_HEADING,
    Cell,
    Table,
    headings,
    isolate,
    tall_headings,
)

STYLES: Mapping[Reproduction, str] = {
    Reproduction.DERIVED: "good",
    Reproduction.PARTLY: "good",
    Reproduction.UNDERIVED: "open",
    Reproduction.DIFFERS: "bad",
    Reproduction.REFUSED: "bad",
}
"""The CSS class of each outcome."""

MEANINGS: Mapping[Reproduction, str] = {
    Reproduction.DERIVED: "every verdict, table and the report were derived again and are identical",
    Reproduction.PARTLY: "the same, except for answers or reasons that no archive has, "
    "which its page lists",
    Reproduction.UNDERIVED: "only hashes were checked, as its release was not staged",
    Reproduction.DIFFERS: "something does not follow from the recorded answers, or the software differs",
    Reproduction.REFUSED: "damaged, malformed, or a step of the derivation failed",
}
"""What each outcome says."""


def badges(archive: ArchiveRecord) -> list[tuple[str, str, str]]:
    """What was proved of an archive, and by what: a text, its CSS class and its tooltip, each."""
    found = [(str(archive.outcome), STYLES[archive.outcome], MEANINGS[archive.outcome])]
    found += [("signed", "good", who) for who in archive.attested[:1]]
    own = archive.derived.facts.get(OWN_ERRATA) if archive.derived else None
    if own:
        found.append(("own errata", "open", f"its verified scores use errata of its own: {printable(own)}"))
    if archive.differing:
        found.append(("files beside it differ", "bad", "; ".join(archive.wrong)))
    return found


def has_page(archive: ArchiveRecord) -> bool:
    """Whether an archive was verified, so that the site has it and a page about it."""
    return bool(archive.key)


def page_of(archive: ArchiveRecord) -> str:
    """The name of the page of an archive."""
    return f"archive-{archive.sha256[:16]}.html"


def leaderboard(table: Standings, rules: Rules) -> Table:
    """All models of one table under one rule set."""
    rows = table.of[rules]
    limits = [{each["category"]: each for each in one.model.categories} for one in rows]
    columns = {
        title: [
            score_cell(dict(one.row), name, _row(limits[place].get(name))) for place, one in enumerate(rows)
        ]
        for name, title in LEADERBOARD_COLUMNS.items()
    }
    columns["Overall"] = [replace(cell, style=f"{cell.style} overall") for cell in columns["Overall"]]
    if any(one.row["cost_usd"] is not None for one in rows):
        columns["Cost ($)"] = [_cost(one.row["cost_usd"]) for one in rows]
    return Table(
        f"{table.title}, {rules.value} rules",
        [
            [
                Cell("#", style="rank", scope="col"),
                NAME_HEADING,
                Cell("Verified", scope="col"),
                *headings(columns),
                Cell("Ended", scope="col"),
            ]
        ],
        [
            [
                rank,
                _name(one),
                _proved(one.archive),
                *(cells[place] for cells in columns.values()),
                Cell(one.archive.ended[:10], one.archive.ended, style="date"),
            ]
            for place, (one, rank) in enumerate(
                zip(rows, rank_cells([each.row for each in rows]), strict=True)
            )
        ],
        style="sortable leaderboard",
    )


def _cost(dollars: float | None) -> Cell:
    return Cell.number("unknown" if dollars is None else two_digits(dollars), dollars)


def _row(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row)


def score_notes(table: Standings, rules: Rules) -> list[str]:
    """What applies to the scores of a table: categories that were not evaluated, and its web."""
    rows = table.of[rules]
    found = []
    if any(is_partial(dict(one.row), name) for one in rows for name in LEADERBOARD_COLUMNS):
        found.append("* categories not evaluated count 0, as on the leaderboard")
    meaning = note(one.row["web"] for one in rows)
    return [*found, meaning] if meaning else found


def _name(one: Standing) -> Cell:
    name = one.row["display_name"]
    label = mode_label(name, one.row.get("mode"))
    text = Markup('<a href="{}">{}</a>').format(page_of(one.archive), isolate(name))
    if label:
        text += Markup(' <span class="badge">{}</span>').format(label)
    trials = f", mean of {one.model.trials} trials" if one.model.trials > 1 else ""
    return Cell(text, name, f"{one.archive.run}{trials}", style="name", scope="row")


def _proved(archive: ArchiveRecord) -> Cell:
    spans = Markup("").join(
        Markup('<span class="badge {}" title="{}">{}</span>').format(style, title, text)
        for text, style, title in badges(archive)
    )
    return Cell(spans, " ".join(text for text, _, _ in badges(archive)), style="proved")


def unranked_table(archives: Sequence[ArchiveRecord]) -> Table | None:
    """The archives whose scores are not shown, and why; None if there are none."""
    rows = [
        [
            Cell(
                Markup('<a href="{}">{}</a>').format(page_of(one), isolate(printable(one.name)))
                if has_page(one)
                else isolate(printable(one.name)),
                one.name,
                one.run,
                style="name",
                scope="row",
            ),
            _proved(one),
            Cell(why(one), style="message"),
            Cell.code(one.sha256[:16]),
        ]
        for one in archives
        if not one.outcome.ranked
    ]
    if not rows:
        return None
    titles = [Cell(title, scope="col") for title in ("Outcome", "Reason", "sha256")]
    return Table("Archives without a rank", [[Cell("Archive", style="name", scope="col"), *titles]], rows)


def why(archive: ArchiveRecord) -> str:
    """Why an archive has no rank: the reason of its refusal, or the first thing that differs or is open."""
    if archive.reason:
        return archive.reason
    wanted = {Reproduction.DIFFERS: ("DIFFERS",), Reproduction.UNDERIVED: ("not verified",)}.get(
        archive.outcome, ()
    )
    lines = [finding.what for finding in archive.findings if finding.outcome in wanted]
    more = (
        f" (and {plural(len(lines) - 1, 'more difference', 'more differences')})" if len(lines) > 1 else ""
    )
    if archive.outcome is Reproduction.UNDERIVED:
        more = ""
    return lines[0] + more if lines else MEANINGS[archive.outcome]


def category_table(archive: ArchiveRecord, rules: Rules) -> Table | None:
    """Every model of an archive on every category; None without verdicts under these rules."""
    models = [
        model for model in (archive.derived.models if archive.derived else ()) if model.rules is rules
    ]
    if not models:
        return None
    rows = [{each["category"]: each for each in model.categories} for model in models]
    names = [name for name in CATEGORIES if any(name in row for row in rows)]
    return Table(
        f"Accuracy by category, {rules.value} rules",
        [[NAME_HEADING, *headings(["Overall"]), *tall_headings(names, "tall")]],
        [
            [
                _model_name(model),
                replace(score_cell(dict(model.row), "overall", None), style="number overall"),
                *(_category(row.get(name)) for name in names),
            ]
            for model, row in zip(models, rows, strict=True)
        ],
        style="map",
    )


def _model_name(model: ModelRecord) -> Cell:
    name = model.row["display_name"]
    trials = f"mean of {model.trials} trials; categories of the first" if model.trials > 1 else ""
    return Cell(isolate(name), name, trials, style="name", scope="row")


def _category(row: Mapping[str, Any] | None) -> Cell:
    """Without its interval beneath, for which a narrow column has no room: it is in the tooltip."""
    cell = Cell.accuracy(row, row["web"] if row else None)
    return replace(
        cell, title=f"{cell.title}; 95 % interval {cell.note}" if cell.note else cell.title, note=""
    )
