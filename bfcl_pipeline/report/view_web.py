"""Web search: accuracy by number of hops, how much was searched, and how wrong answers came about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bfcl_pipeline.report.cells import MISSING, Cell, count, heat, interval, percent, short_percent
from bfcl_pipeline.report.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels
from bfcl_pipeline.report.web_label import mark, note

FAILURE_TITLES = {
    "no_search": "Never searched",
    "pasted_question": "Pasted the question",
    "never_fetched": "Never fetched",
    "none_of_these": "None of these",
}
"""How the failures of `web_failures` are named on the page."""

MEANS: tuple[tuple[str, str], ...] = (
    ("mean_steps", "Steps"),
    ("mean_searches", "Searches"),
    ("mean_fetches", "Fetches"),
)
"""The means of `web_hops` and their headers."""


@dataclass(frozen=True, slots=True)
class WebLine:
    """One model on one category."""

    label: ModelLabel
    category: Cell  # marked where its web was not the real one; beneath, which web that was
    hops: Sequence[Cell]  # accuracy for each number of hops
    means: Sequence[Cell]  # over all judged questions
    failures: Sequence[Cell]  # counts, and shares of the wrong answers
    wrong: Cell


@dataclass(frozen=True, slots=True)
class WebView:
    """Everything that the page shows of web search; without lines where it was not evaluated."""

    hops: Sequence[str]  # headers
    means: Sequence[str]  # headers
    failures: Sequence[str]  # headers
    note: str  # what the mark means; empty if nothing is marked
    lines: Sequence[WebLine]


def web_search(tables: RunTables) -> WebView:
    """Models in the order of ranks."""
    hops = sorted({row["hops"] for row in tables.web_hops})
    asked, failed = by_model(tables.web_hops), by_model(tables.web_failures)
    return WebView(
        hops=[f"{number} hops" for number in hops],
        means=[header for _, header in MEANS],
        failures=list(FAILURE_TITLES.values()),
        note=note(row["web"] for row in tables.web_hops),
        lines=[
            _line(label, _of(asked[model], category), _of(failed.get(model, ()), category), hops)
            for model, label in model_labels(tables).items()
            for category in dict.fromkeys(row["category"] for row in asked.get(model, ()))
        ],
    )


def _of(rows: Iterable[Row], category: str) -> list[Row]:
    return [row for row in rows if row["category"] == category]


def _line(label: ModelLabel, asked: Sequence[Row], failed: Sequence[Row], hops: Sequence[int]) -> WebLine:
    by_hops = {row["hops"]: row for row in asked}
    by_failure = {row["failure"]: row for row in failed}
    wrong = failed[0]["wrong"] if failed else 0
    web = asked[0]["web"]
    return WebLine(
        label=label,
        category=_category(asked[0]["category"], web),
        hops=[_accuracy(by_hops.get(number), web) for number in hops],
        means=[_mean(asked, name) for name, _ in MEANS],
        failures=[_failure(by_failure.get(name)) for name in FAILURE_TITLES],
        wrong=Cell(count(wrong), wrong),
    )


def _category(name: str, web: str | None) -> Cell:
    return Cell(name + mark(web), name, f"web: {web}" if web else "")


def _accuracy(row: Row | None, web: str | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell(MISSING, None, title="not evaluated")
    share = row["accuracy"]
    means = ", ".join(f"{title.lower()} {_mean([row], name).text}" for name, title in MEANS)
    title = f"{count(row['correct'])} of {count(row['answered'])} right; mean {means}"
    limits = interval(row["ci_low"], row["ci_high"])
    return Cell(short_percent(share) + mark(web), share, limits, title, heat(share))


def _mean(rows: Sequence[Row], name: str) -> Cell:
    """The mean over all judged questions, of whatever number of hops."""
    judged = [row for row in rows if row[name] is not None]
    answered = sum(row["answered"] for row in judged)
    if not answered:
        return Cell(MISSING)
    mean = sum(row[name] * row["answered"] for row in judged) / answered
    return Cell(f"{mean:.1f}", mean)


def _failure(row: Row | None) -> Cell:
    if row is None:
        return Cell("\N{EN DASH}", 0)
    title = f"{count(row['count'])} of {count(row['wrong'])} wrong answers"
    note = f"{percent(row['share'], 0)} %" if row["count"] else ""
    return Cell(count(row["count"]) if row["count"] else "\N{EN DASH}", row["count"], note, title)
