"""The pages of the site as text, with all pairs of models; equal arguments give equal text.

Names, reasons and findings may be from anybody: everything is escaped, also within data for scripts, and
the content security policy of each page allows its own style and scripts and nothing else. The statistics
are those of `bfcl-pipeline compare`: paired by entry, clustered. With more models than `MOST_MODELS`, only
the first ones are compared, as the pairs grow with the square.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from markupsafe import Markup

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.findings import Part
from bfcl_pipeline.share.gallery.bundle import TEMPLATES
from bfcl_pipeline.share.gallery.record import ArchiveRecord, Reproduction
from bfcl_pipeline.share.gallery.standings import Standing, Standings
from bfcl_pipeline.share.gallery.tables import (
    MEANINGS,
    STYLES,
    badges,
    category_table,
    leaderboard,
    page_of,
    score_notes,
    unranked_table,
    why,
)
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.sides import ABSENT, RIGHT, UNJUDGED, WRONG, Numbering
from bfcl_pipeline.show.report.notes import name_with_mode
from bfcl_pipeline.show.report.page.assets import environment, policy, template_text
from bfcl_pipeline.show.report.page.scores import notes_of_ranks
from bfcl_pipeline.show.report.page.table import HEAT_LEVELS

MOST_MODELS = 40
"""The most models of a table that are compared with each other: 780 pairs."""

_DIGITS = 5  # of a share

Json: TypeAlias = Any


def compared_models(table: Standings) -> list[Standing]:
    """The models of a table that are compared, in the order of their official ranks."""
    return list(table.of[Rules.OFFICIAL][:MOST_MODELS])


def comparisons(table: Standings) -> dict[str, dict[str, list[list[Json]]]]:
    """The differences of every pair, by rule set, then `first-second` as numbers of `compared_models`.

    Each is a list of score, entries, first, second, difference, its low and high limit, entries that only
    the first and only the second has right, and the p-value adjusted by Holm or None.
    """
    chosen = [one.key for one in compared_models(table)]
    found: dict[str, dict[str, list[list[Json]]]] = {}
    for rules in Rules:
        numbering = Numbering()
        for entry in table.entries:
            numbering.number(*entry)
        comparer = Comparer(numbering, rules, common=True)
        by_key = {one.key: one.side for one in table.of[rules]}
        sides = [(place, by_key[key]) for place, key in enumerate(chosen) if key in by_key]
        found[rules.value] = {
            f"{place}-{other}": _scores(comparer.compare(first, second))
            for (place, first), (other, second) in combinations(sides, 2)
            if comparer.comparable(first, second)
        }
    return found


def _scores(comparison: Comparison) -> list[list[Json]]:
    return [
        [
            row.score + ("" if row.complete else "*"),
            row.entries,
            *(
                round(value, _DIGITS)
                for value in (row.first, row.second, row.difference, row.low, row.high)
            ),
            row.only_first,
            row.only_second,
            None if row.holm_p is None else float(f"{row.holm_p:.2g}"),
        ]
        for row in comparison.scores
    ]


_LETTERS: Mapping[float, str] = {RIGHT: "1", WRONG: "0", UNJUDGED: "-", ABSENT: " "}


def verdicts(table: Standings) -> dict[str, list[str]]:
    """A letter for each entry of the table, by rule set, then by model as in its official order.

    `1` right, `0` wrong, `~` right in some trials, `-` without a verdict, a space where it was left out.
    """
    found: dict[str, list[str]] = {}
    for rules in Rules:
        marks = {one.key: one.side.spread_over(len(table.entries)).tolist() for one in table.of[rules]}
        nothing = [ABSENT] * len(table.entries)
        of_models = [marks.get(one.key, nothing) for one in table.of[Rules.OFFICIAL]]
        found[rules.value] = ["".join(_LETTERS.get(mark, "~") for mark in row) for row in of_models]
    return found


INDEX, ENTRIES, COMPARE = "index.html", "entries.html", "compare.html"


def index_page(archives: Sequence[ArchiveRecord], tables: Sequence[Standings], title: str) -> str:
    """The table of all models, or several if not all can be ranked together."""
    ranked = [archive for archive in archives if archive.outcome.ranked]
    return _page(
        "index",
        title,
        scripts=["sort.js", "rules.js", "index.js"],
        facts={
            "Archives": f"{len(archives):,}",
            "Verified": f"{len(ranked):,}",
            "Models": f"{len({one.key for table in tables for one in table.of[Rules.OFFICIAL]}):,}",
        },
        tables=[
            (
                table,
                [
                    (
                        rules.value,
                        leaderboard(table, rules),
                        [*notes_of_ranks([one.row for one in table.of[rules]]), *score_notes(table, rules)],
                    )
                    for rules in Rules
                    if table.of[rules]
                ],
            )
            for table in tables
        ],
        unranked=unranked_table(archives),
        differing=any(archive.differing for archive in archives),
        meanings=[
            (str(outcome), STYLES[outcome], MEANINGS[outcome])
            for outcome in Reproduction
            if any(archive.outcome is outcome for archive in archives)
        ],
    )


def archive_page(archive: ArchiveRecord, title: str, report: str | None) -> str:
    """The page of one archive.

    Args:
        archive: what was found.
        title: of the site.
        report: the address of its report; None: it has none that was derived here.
    """
    shown = [(rules.value, category_table(archive, rules)) for rules in Rules]
    return _page(
        "archive",
        title,
        scripts=["rules.js"],
        archive=archive,
        heading=f"Run {archive.run}" if archive.run else archive.name,
        badges=badges(archive),
        reason="" if archive.outcome.ranked else why(archive),
        parts=[
            (part.value, [finding for finding in archive.findings if finding.part is part]) for part in Part
        ],
        tables=[(rules, table) for rules, table in shown if table is not None],
        heat_levels=HEAT_LEVELS,
        file=Path(archive.download).name,
        report=report,
    )


def entries_page(tables: Sequence[Standings], reports: Mapping[str, str], title: str) -> str:
    """Which models have each entry right."""
    data = [_entries(table, reports) for table in tables]
    return _page("entries", title, scripts=["common.js", "entries.js"], data=_json(data), any=bool(data))


def compare_page(tables: Sequence[Standings], reports: Mapping[str, str], title: str) -> str:
    """The paired difference of any two models of a table, and the entries that only one has right."""
    data = [
        {**_entries(table, reports), "compared": len(compared_models(table)), "pairs": comparisons(table)}
        for table in tables
        if len(table.of[Rules.OFFICIAL]) > 1
    ]
    return _page("compare", title, scripts=["common.js", "compare.js"], data=_json(data), any=bool(data))


def _entries(table: Standings, reports: Mapping[str, str]) -> dict[str, Any]:
    """The models, entries and verdicts of a table, for scripts."""
    models = table.of[Rules.OFFICIAL]
    by_category = groupby(table.entries, key=itemgetter(0))
    return {
        "title": f"{table.title} ({plural(len(models), 'model', 'models')})",
        "models": [_model(one, reports) for one in models],
        "entries": [(name, [entry_id for _, entry_id in of]) for name, of in by_category],
        "verdicts": verdicts(table),
    }


def _model(one: Standing, reports: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": name_with_mode(one.row["display_name"], one.row.get("mode")),
        "model": one.model.model,
        "run": one.archive.run,
        "page": page_of(one.archive),
        "report": reports.get(one.archive.sha256),
    }


def _json(data: Any) -> Markup:
    """Data in a script element: none of its letters can end the element."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _page(page: str, site: str, scripts: Sequence[str], **values: Any) -> str:
    style = template_text("style.css") + template_text("site.css", TEMPLATES)
    texts = [
        template_text(script) if script == "sort.js" else template_text(script, TEMPLATES)
        for script in scripts
    ]
    template = environment(TEMPLATES).get_template(f"{page}.html.j2")
    return template.render(
        policy=policy(style, texts),
        style=Markup(style),  # noqa: S704  # our own file
        scripts=list(map(Markup, texts)),  # our own files
        version=__version__,
        site=site,
        page=page,
        **values,
    )
