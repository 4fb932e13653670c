"""Figures of memory: accuracy by backend and by scenario, additions against removals."""

from collections.abc import Iterable
from typing import Any

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.show.report.figures.figure import (
    FULL,
    Figure,
    data,
    in_groups,
    percent_axis,
    points,
)
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, LINE, ORANGE, PANEL, SOFT, Series
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

BACKENDS = {"memory_kv": "Key-value", "memory_vector": "Vector", "memory_rec_sum": "Recursive summary"}
"""The names of the backends by category."""

MOST_ROWS = 12
"""The most models of a backend."""

_ADDED, _REMOVED = "added", "removed"


def backends(tables: RunTables, models: Models) -> Figure | None:
    """The accuracy of each model by backend, highest first, with the difference of best and worst."""
    panels: list[ChartType] = []
    about: list[str] = []
    known: set[str] = set()
    judged = _judged(tables["categories"])
    for category in judged:
        found = [row for row in tables["categories"] if row["category"] == category]
        found = [row for row in found if row["accuracy"] is not None]
        found.sort(key=lambda row: (-row["accuracy"], models.names[row["model"]]))
        known |= {row["model"] for row in found}
        rows = [
            {
                "model": models.names[row["model"]],
                "accuracy": points(row["accuracy"]),
                "low": points(row["ci_low"]),
                "high": points(row["ci_high"]),
                "text": f"{row['accuracy'] * 100:.1f}",
            }
            for row in found
        ]
        best, worst = found[0]["accuracy"] * 100, found[-1]["accuracy"] * 100
        range_text = f"best {best:.1f}, worst {worst:.1f}, difference {best - worst:.1f}"
        about.append(f"{BACKENDS[category]}: {range_text}")
        title = BACKENDS[category] + (f": {range_text}" if len(rows) > 1 else "")
        panels.append(_panel(rows[:MOST_ROWS], title, category == judged[-1]))
    if not panels:
        return None
    return Figure(
        "memory_backends",
        "Memory: accuracy by backend",
        "Accuracy of each model with each memory backend, highest first, in per cent with its 95 % "
        "interval; the range is over all models."
        + (f" The {MOST_ROWS} highest of {len(known)} models are shown." if len(known) > MOST_ROWS else ""),
        "; ".join(about) + ".",
        alt.vconcat(*panels, spacing=18),
    )


def _judged(rows: Iterable[Row]) -> list[str]:
    answered = {row["category"] for row in rows if row["accuracy"] is not None}
    return [category for category in GROUPS["memory"] if category in answered]


def _panel(rows: list[dict[str, Any]], title: str, last: bool) -> ChartType:
    y = alt.Y("model:N", sort=[row["model"] for row in rows], title=None)
    axis = percent_axis("Accuracy (%)" if last else "")
    base = alt.Chart(data(rows)).encode(y=y)
    heading = alt.TitleParams(title, style=PANEL, anchor="start", frame="group", offset=6)
    return alt.layer(
        base.mark_bar(height=11, color=BLUE).encode(x=alt.X("accuracy:Q", scale=FULL, axis=axis)),
        base.mark_rule(strokeWidth=1.4, color=SOFT).encode(x=alt.X("low:Q", scale=FULL), x2="high:Q"),
        base.mark_text(align="left", dx=6, color=SOFT).encode(x=alt.X("high:Q", scale=FULL), text="text:N"),
    ).properties(width=430, height=alt.Step(18), title=heading)


def domains(tables: RunTables, models: Models) -> Figure | None:
    """The accuracy of each model by scenario and backend."""
    known = [row for row in tables["memory_domains"] if row["accuracy"] is not None]
    best = models.best(row["model"] for row in known)
    if not best:
        return None
    series = Series(models.named(best))
    rows = [
        {
            "model": models.names[row["model"]],
            "backend": BACKENDS[row["category"]],
            "scenario": row["scenario"],
            "accuracy": points(row["accuracy"]),
        }
        for row in known
        if row["model"] in best
    ]
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    panels = [BACKENDS[category] for category in _judged(known)]
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("scenario:N", sort=scenarios, title=None, axis=alt.Axis(grid=False)),
        yOffset=alt.YOffset("model:N", sort=list(series.names)),
        color=series.colour(),
    )
    chart = (
        base.mark_point(filled=True, size=50, opacity=1)
        .encode(
            x=alt.X(
                "accuracy:Q",
                scale=FULL,
                axis=alt.Axis(title="Accuracy (%)", values=[0, 25, 50, 75, 100], gridColor=LINE),
            ),
            shape=series.shape(),
        )
        .properties(width=160, height=alt.Step(max(8, 26 // max(1, len(best))), **{"for": "offset"}))
        .facet(column=alt.Column("backend:N", sort=panels, title=None))
    )
    return Figure(
        "memory_domains",
        "Memory: accuracy by scenario",
        "Accuracy of each model by scenario (the kind of assistant that it plays) and memory backend, in "
        "per cent." + limit_note(len(best), len({row["model"] for row in known})),
        in_groups(
            series.names,
            lambda name: (
                (f"{row['scenario']} ({row['backend']})", row["accuracy"])
                for row in rows
                if row["model"] == name
            ),
        ),
        chart,
    )


def memory_changes(tables: RunTables, models: Models) -> Figure | None:
    """Calls in the sessions that add to the memory, against those that remove from it."""
    sums: dict[tuple[str, str], dict[str, int]] = {}
    for row in tables["memory_use"]:
        both = sums.setdefault((row["model"], row["category"]), {_ADDED: 0, _REMOVED: 0})
        both[_ADDED] += row["adds"]
        both[_REMOVED] += row["removes"] + row["clears"]
    if not any(count for both in sums.values() for count in both.values()):
        return None
    users = {model for model, _ in sums}
    best = models.best(users, MOST_ROWS)
    rows = [
        {
            "model": models.names[model],
            "backend": BACKENDS[category],
            "change": change,
            "calls": count if change == _ADDED else -count,
        }
        for (model, category), both in sums.items()
        if model in best
        for change, count in both.items()
    ]
    panels = [BACKENDS[name] for name in GROUPS["memory"] if any(key[1] == name for key in sums)]
    absolute = "format(abs(datum.value), ',d')"
    chart = (
        alt.Chart(data(rows))
        .mark_bar(height=11, stroke=SOFT, strokeWidth=0.6)
        .encode(
            y=alt.Y("model:N", sort=models.named(best), title=None),
            x=alt.X(
                "calls:Q",
                axis=alt.Axis(title="Calls", labelExpr=absolute, tickCount=4, tickMinStep=1),
            ),
            color=alt.Color(
                "change:N",
                scale=alt.Scale(domain=[_REMOVED, _ADDED], range=[ORANGE, BLUE]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
        )
        .properties(width=150, height=alt.Step(20))
        .facet(column=alt.Column("backend:N", sort=panels, title=None))
    )
    return Figure(
        "memory_changes",
        "Memory: additions and removals",
        "Calls in the sessions that add to the memory (to the right) and that remove one entry or all (to "
        "the left)." + limit_note(len(best), len(users)),
        "; ".join(
            f"{models.names[model]}, {BACKENDS[category]}: {both[_ADDED]:,} added, "
            f"{both[_REMOVED]:,} removed"
            for (model, category), both in sums.items()
            if model in best[:10]
        )
        + ".",
        chart,
    )
