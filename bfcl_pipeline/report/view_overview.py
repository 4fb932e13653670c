"""What the top of the page says: what was evaluated, how much of it was judged, and the V4 table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bfcl_pipeline.benchmark import CATEGORIES, release
from bfcl_pipeline.config import EMBEDDED_KINDS
from bfcl_pipeline.records import Rules, Status
from bfcl_pipeline.report.cells import Cell, count, interval, percent, plain, plural, score_cell
from bfcl_pipeline.report.run_tables import Row, RunTables
from bfcl_pipeline.report.web_label import joined, mark, note, split
from bfcl_pipeline.scoring.aggregate import Count, leaderboard_scores

SCORED = tuple(name for name, category in CATEGORIES.items() if category.scored)
"""The categories that the leaderboard shows a score of."""

LEADERBOARD_COLUMNS: tuple[tuple[str, str], ...] = (
    ("overall", "Overall"),
    ("non_live", "Non-live"),
    ("live", "Live"),
    ("multi_turn", "Multi-turn"),
    ("web_search", "Web search"),
    ("memory", "Memory"),
    ("live_relevance", "Relevance"),
    ("irrelevance_all", "Irrelevance"),
)
"""The scores of the V4 table, as the leaderboard's page orders them, and their headers."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line on what was evaluated."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class ModelLabel:
    """How a model is named on the page."""

    name: str  # as in the tables
    display_name: str  # as on the leaderboard
    url: str  # where it is described; empty if that is no web address
    embedded: bool  # ships with the pipeline: a bound, not a competitor
    org: str


@dataclass(frozen=True, slots=True)
class LeaderboardLine:
    """One row of the V4 table."""

    rank: int
    label: ModelLabel
    cells: Sequence[Cell]  # one per header


@dataclass(frozen=True, slots=True)
class Overview:
    """The top of the page."""

    run: str  # its name
    facts: Sequence[Fact]
    notices: Sequence[str]  # what a reader must know before the numbers
    headers: Sequence[str]  # of the V4 table, after rank and model
    lines: Sequence[LeaderboardLine]


def overview(tables: RunTables) -> Overview:
    """The top of the page for these tables."""
    columns = [
        *_score_columns(tables),
        *(c for c in _usage_columns(tables) if _has_any(c)),
        _judged(tables),
    ]
    return Overview(
        run=tables.leaderboard[0]["run"] or "unnamed run",
        facts=_facts(tables),
        notices=_notices(tables),
        headers=[column.header for column in columns],
        lines=[
            LeaderboardLine(row["rank"], model_label(row), [column.cells[number] for column in columns])
            for number, row in enumerate(tables.leaderboard)
        ],
    )


def model_label(row: Row) -> ModelLabel:
    """How the model of a leaderboard row is named; only web addresses become links."""
    url = row["url"] if row["url"].startswith(("https://", "http://")) else ""
    return ModelLabel(row["model"], row["display_name"], url, row["kind"] in EMBEDDED_KINDS, row["org"])


def model_labels(tables: RunTables) -> dict[str, ModelLabel]:
    """The labels by model name, in the order of ranks."""
    return {row["model"]: model_label(row) for row in tables.leaderboard}


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of the V4 table."""

    header: str
    cells: Sequence[Cell]  # one per model, in the order of ranks


def _has_any(column: _Column) -> bool:
    return any(cell.value is not None for cell in column.cells)


def _score_columns(tables: RunTables) -> list[_Column]:
    limits = {(row["model"], row["category"]): row for row in tables.categories}
    return [
        _Column(header, [_score(row, name, limits.get((row["model"], name))) for row in tables.leaderboard])
        for name, header in LEADERBOARD_COLUMNS
    ]


def _score(row: Row, name: str, category: Row | None) -> Cell:
    """A group's score has its interval in the leaderboard table, a category's in its own."""
    cell = score_cell(row, name)
    if category is None or cell.value is None:
        return cell
    return replace(cell, note=interval(category["ci_low"], category["ci_high"]))


def _usage_columns(tables: RunTables) -> list[_Column]:
    """What may be known of nobody: then there is no column."""
    rows = tables.leaderboard
    delta = "Format max \N{GREEK CAPITAL LETTER DELTA}"
    return [
        _Column(delta, [_number(row, "format_max_delta", "std", "format_std") for row in rows]),
        _Column("Cost ($)", [_number(row, "cost_usd") for row in rows]),
        _Column(
            "Latency (s)",
            [_number(row, "latency_mean_seconds", "p95", "latency_p95_seconds") for row in rows],
        ),
    ]


def _number(row: Row, name: str, note_title: str = "", note_name: str = "") -> Cell:
    note = f"{note_title} {plain(row[note_name])}" if note_name and row[note_name] is not None else ""
    return Cell(plain(row[name]), row[name], note)


def _judged(tables: RunTables) -> _Column:
    cells = []
    for row in tables.leaderboard:
        share = row["answered"] / row["entries"] if row["entries"] else 0.0
        title = f"{count(row['answered'])} of {count(row['entries'])} entries asked have a verdict"
        # Rounded down: 100.0 % says that nothing is missing.
        text = f"{math.floor(share * 1000) / 10:.1f} %"
        cells.append(Cell(text, share, count(row["answered"]), title))
    return _Column("Judged", cells)


def _evaluated(tables: RunTables) -> list[str]:
    judged = {row["category"] for row in tables.categories if row["answered"]}
    return [name for name in SCORED if name in judged]


def _facts(tables: RunTables) -> list[Fact]:
    evaluated = _evaluated(tables)
    asked = dict.fromkeys(CATEGORIES, 0)  # models may have been asked different samples: the largest
    for row in tables.categories:
        asked[row["category"]] = max(asked[row["category"]], row["entries"])
    entries = sum(asked[name] for name in evaluated)
    whole = sum(CATEGORIES[name].entries for name in SCORED)
    formats = asked["format_sensitivity"]
    facts = [
        Fact("Benchmark", f"BFCL V4, {release.DISTRIBUTION} {release.VERSION}"),
        Fact("Upstream commit", release.UPSTREAM_COMMIT),
        Fact("Models", count(len(tables.leaderboard))),
        Fact("Scored categories", f"{len(evaluated)} of {len(SCORED)}"),
        Fact("Scored entries", f"{count(entries)} of {count(whole)}"),
    ]
    if formats:
        facts.append(Fact("Format sensitivity", f"{count(formats)} entries"))
    webs = joined(one for row in tables.leaderboard for one in split(row["web"]))
    if webs:
        facts.append(Fact("Web searched", webs + mark(webs)))
    facts.append(Fact("Rules", tables.rules.value))
    return facts


def _notices(tables: RunTables) -> list[str]:
    notices = [*_web_notice(tables), *_missing_notice(tables), *_unanswered_notices(tables)]
    embedded = [label.display_name for label in model_labels(tables).values() if label.embedded]
    if embedded:
        notices.append(
            f"{', '.join(embedded)}: embedded models. The oracle answers from the ground truth and marks "
            "the ceiling; the lexical model knows no weights and marks the floor. Neither competes."
        )
    if tables.rules is not Rules.OFFICIAL:
        notices.append("Judged under corrected rules: these numbers are not those of the leaderboard.")
    return notices


def _web_notice(tables: RunTables) -> list[str]:
    said = note(row["web"] for row in tables.leaderboard)
    if not said:
        return []
    return [
        f"{said}. So is every score that Web search is part of. In the official files (tables/official) it "
        "counts as not evaluated."
    ]


def _missing_notice(tables: RunTables) -> list[str]:
    evaluated = _evaluated(tables)
    missing = len(SCORED) - len(evaluated)
    if not missing:
        return []
    perfect = {name: Count(CATEGORIES[name].entries, CATEGORIES[name].entries) for name in evaluated}
    reachable = leaderboard_scores(perfect)["overall"].accuracy
    return [
        f"{plural(missing, 'category was', 'categories were')} not evaluated. As on the leaderboard they "
        f"count 0 in the Overall, so {percent(reachable)} % is the most that this run can reach. "
        "A score marked * leaves some of its categories out in the same way."
    ]


def _unanswered_notices(tables: RunTables) -> list[str]:
    lost: Counter[tuple[str, str]] = Counter()
    for row in tables.coverage:
        if row["status"] != Status.ANSWERED.value:
            lost[row["model"], row["status"]] += row["entries"]
    names = {row["model"]: row["display_name"] for row in tables.leaderboard}
    return [
        f"{names.get(model, model)}: {plural(entries, 'entry', 'entries')} "
        f"without a verdict ({status.replace('_', ' ')}), in no score."
        for (model, status), entries in sorted(lost.items())
    ]
