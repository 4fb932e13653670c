"""The tables of the site: all models, archives without a rank, and the categories of one archive."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.web_label import note
from bfcl_pipeline.share.gallery.record import OWN_ERRATA, ArchiveRecord, ModelRecord, Reproduction
from bfcl_pipeline.share.gallery.standings import Standing, Standings
from bfcl_pipeline.show.report.format import is_partial
from bfcl_pipeline.show.report.notes import mode_label
from bfcl_pipeline.show.report.page import scores as page_scores
from bfcl_pipeline.show.report.page.categories import category_heat_map
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.table import Cell, Table, headings, isolate
from bfcl_pipeline.show.report.tables.all_tables import TABLES

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
    """All models of one table under one rule set: the table of a report, with what was verified."""
    rows = table.of[rules]
    shown = page_scores.leaderboard(_run_tables(rules, [(one.row, one.model) for one in rows]))
    [[rank, name, *titles]] = shown.head
    head = [rank, name, Cell("Verified", scope="col"), *titles, Cell("Ended", scope="col")]
    cells = [
        [rank, _name(one), _proved(one.archive), *scores, Cell(ended[:10], ended, style="date")]
        for one, (rank, _, *scores) in zip(rows, shown.rows, strict=True)
        for ended in [one.archive.ended]
    ]
    return replace(shown, label=f"{table.title}, {rules.value} rules", head=[head], rows=cells)


def _run_tables(rules: Rules, models: Sequence[tuple[Mapping[str, Any], ModelRecord]]) -> RunTables:
    """The rows of models of any runs as the tables of one run."""
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}  # of most there are none
    for number, (row, model) in enumerate(models):
        key = {"model": f"{number}", "url": ""}  # names of models may repeat
        rows["leaderboard"].append({**row, **key})
        rows["categories"] += [{**each, **key} for each in model.categories]
        rows["usage"].append({"cost_usd": row["cost_usd"], **key})
    return RunTables(rules, rows, rows)


def score_notes(table: Standings, rules: Rules) -> list[str]:
    """What applies to the scores of a table: categories that were not evaluated, and its web."""
    rows = table.of[rules]
    found = []
    if any(is_partial(dict(one.row), name) for one in rows for name in page_scores.LEADERBOARD_COLUMNS):
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
    titles = [Cell("Archive", style="name", scope="col"), *headings(("Outcome", "Reason", "sha256"), "")]
    return Table("Archives without a rank", [titles], rows)


def why(archive: ArchiveRecord) -> str:
    """Why an archive has no rank: the reason of its refusal, or the first thing that differs or is open."""
    if archive.reason:
        return archive.reason
    differs = archive.outcome is Reproduction.DIFFERS
    wanted = "DIFFERS" if differs else "not verified"
    lines = [finding.what for finding in archive.findings if finding.outcome == wanted]
    if not lines:
        return MEANINGS[archive.outcome]
    more = plural(len(lines) - 1, "more difference", "more differences")
    return f"{lines[0]} (and {more})" if differs and len(lines) > 1 else lines[0]


def category_table(archive: ArchiveRecord, rules: Rules) -> Table | None:
    """Every model of an archive on every category; None without verdicts under these rules."""
    models = [(model.row, model) for model in archive.models if model.rules is rules]
    if not models:
        return None
    shown = category_heat_map(_run_tables(rules, models))
    if shown is None:
        return None
    rows = [[replace(cell, link="") for cell in row] for row in shown.rows]  # the lists are in the report
    return replace(shown, label=f"{shown.label}, {rules.value} rules", rows=rows)
