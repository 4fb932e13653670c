"""Cost and latency: what each model took, in sum and by category, as far as it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.records import Status, total
from bfcl_pipeline.report.build_usage import SESSIONS
from bfcl_pipeline.report.cells import MISSING, Cell, count, plain
from bfcl_pipeline.report.run_tables import Row, RunTables, by_model
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels

SUMS: tuple[tuple[str, str], ...] = (
    ("entries", "Entries"),
    ("exchanges", "Requests"),
    ("input_tokens", "Tokens sent"),
    ("output_tokens", "Tokens received"),
    ("cost_usd", "Cost ($)"),
    ("truncated", "Cut off"),
)
"""Columns of `usage` that can be added up, and their headers."""

TIMES: tuple[tuple[str, str, str], ...] = (
    ("exchange_mean_seconds", "exchange_p95_seconds", "Request (s)"),
    ("entry_mean_seconds", "entry_p95_seconds", "Entry (s)"),
)
"""Those of a mean and its 95th percentile, and their headers."""

TOLD = ("input_tokens", "output_tokens", "exchange_mean_seconds")
"""A model of which none of these is known has nothing to show."""

UNANSWERED = "Without answer"


@dataclass(frozen=True, slots=True)
class UsageLine:
    """One category of one model; or all of them."""

    title: str
    cells: Sequence[Cell]  # one per header


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """One model."""

    label: ModelLabel
    sums: Sequence[Cell]  # one per header of the sums
    lines: Sequence[UsageLine]  # by category


@dataclass(frozen=True, slots=True)
class UsageView:
    """Everything that the page shows of cost and latency; without models where nothing is known."""

    sum_headers: Sequence[str]
    headers: Sequence[str]  # of the lines, after the category
    models: Sequence[ModelUsage]


def usage_view(tables: RunTables) -> UsageView:
    """The models of which something is known, in the order of ranks; no column that nobody has."""
    labels = model_labels(tables)
    told, titles = _told(tables.usage), tables.category_titles()
    rows = [row for row in tables.usage if row["model"] in told]
    of_model = by_model(rows)
    sums = [(name, header) for name, header in SUMS if any(row[name] is not None for row in rows)]
    times = [one for one in TIMES if any(row[one[0]] is not None for row in rows)]
    lost = _without_answer(tables.coverage)
    return UsageView(
        sum_headers=[*(header for _, header in sums), UNANSWERED],
        headers=[*(header for _, header in sums), *(header for _, _, header in times), UNANSWERED],
        models=[
            ModelUsage(
                label,
                [*(_sum(name, own) for name, _ in sums), _lost(lost, own)],
                [
                    UsageLine(
                        _title(titles, row),
                        [
                            *(_sum(name, [row]) for name, _ in sums),
                            *(_time(row, mean, high) for mean, high, _ in times),
                            _lost(lost, [row]),
                        ],
                    )
                    for row in own
                ],
            )
            for model, label in labels.items()
            if (own := of_model.get(model))
        ],
    )


def _told(rows: Sequence[Row]) -> set[str]:
    return {row["model"] for row in rows if any(row[name] is not None for name in TOLD)}


def _title(titles: Mapping[tuple[str, str], str], row: Row) -> str:
    title = titles.get((row["model"], row["category"]), row["category"])
    return f"{title}: sessions" if row["part"] == SESSIONS else title


def _sum(name: str, rows: Sequence[Row]) -> Cell:
    found = total(row[name] for row in rows)
    if found is None:
        return Cell(MISSING, None, title="not told")
    return Cell(plain(found) if name == "cost_usd" else count(found), found)


def _time(row: Row, mean: str, high: str) -> Cell:
    if row[mean] is None:
        return Cell(MISSING, None, title="not taken")
    return Cell(plain(row[mean]), row[mean], f"p95 {plain(row[high])}")


def _without_answer(coverage: Sequence[Row]) -> dict[tuple[str, str], Counter[str]]:
    """Entries by status, of each model and category; sessions are not among them."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in coverage:
        if row["status"] != Status.ANSWERED.value:
            found.setdefault((row["model"], row["category"]), Counter())[row["status"]] += row["entries"]
    return found


def _lost(lost: Mapping[tuple[str, str], Counter[str]], rows: Sequence[Row]) -> Cell:
    statuses: Counter[str] = Counter()
    for row in rows:
        if row["part"] != SESSIONS:
            statuses += lost.get((row["model"], row["category"]), Counter())
    number = statuses.total()
    title = ", ".join(f"{status.replace('_', ' ')}: {count(n)}" for status, n in sorted(statuses.items()))
    return Cell(count(number) if number else "\N{EN DASH}", number, title=title)
