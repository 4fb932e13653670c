"""Figures of memory: accuracy by backend and by scenario, additions against removals."""

from collections.abc import Iterable
from typing import Any

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, LINE, ORANGE, SOFT
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

BACKENDS = {"memory_kv": "Key-value", "memory_vector": "Vector", "memory_rec_sum": "Recursive summary"}
"""The names of the backends by category."""

MOST_ROWS = 12
"""The most models of a backend."""

_ADDED, _REMOVED = "added", "removed"


def backends(tables: RunTables, models: Models) -> fig.Figure | None:
    """The accuracy of each model by backend, highest first, with the difference of best and worst."""
    panels: list[ChartType] = []
    about: list[str] = []
    known: set[str] = set()
    answered = [row for row in tables["categories"] if row["accuracy"] is not None]
    judged = _judged(answered)
    for category in judged:
        found = sorted(
            (row for row in answered if row["category"] == category),
            key=lambda row: (-row["accuracy"], models.names[row["model"]]),
        )
        known |= {row["model"] for row in found}
        rows = [
            {"model": models.names[row["model"]], **fig.shares(row), "text": f"{row['accuracy'] * 100:.1f}"}
            for row in found
        ]
        best, worst = found[0]["accuracy"] * 100, found[-1]["accuracy"] * 100
        range_text = f"best {best:.1f}, worst {worst:.1f}, difference {best - worst:.1f}"
        about.append(f"{BACKENDS[category]}: {range_text}")
        title = BACKENDS[category] + (f": {range_text}" if len(rows) > 1 else "")
        panels.append(_panel(rows[:MOST_ROWS], title, category == judged[-1]))
    if not panels:
        return None
    return fig.Figure(
        "memory_backends",
        "Memory: accuracy by backend",
        "Accuracy of each model with each memory backend, highest first, in per cent with its 95 % "
        "interval; the range is over all models."
        + limit_note(min(MOST_ROWS, len(known)), len(known), "highest"),
        "; ".join(about) + ".",
        alt.vconcat(*panels, spacing=18),
    )


def _judged(rows: Iterable[Row]) -> list[str]:
    answered = {row["category"] for row in rows}
    return [category for category in GROUPS["memory"] if category in answered]


def _panel(rows: list[dict[str, Any]], title: str, last: bool) -> ChartType:
    base = alt.Chart(fig.data(rows)).encode(y=fig.named_rows([row["model"] for row in rows]))
    x = fig.percent_scale(alt.X, "accuracy", "Accuracy (%)" if last else "")
    low, high = fig.percent_scale(alt.X, "low"), fig.percent_scale(alt.X, "high")
    return alt.layer(
        base.mark_bar(height=11, color=BLUE).encode(x=x),
        base.mark_rule(strokeWidth=1.4, color=SOFT).encode(x=low, x2="high:Q"),
        base.mark_text(align="left", dx=6, color=SOFT).encode(x=high, text="text:N"),
    ).properties(width=430, height=alt.Step(18), title=fig.panel_title(title))


def domains(tables: RunTables, models: Models) -> fig.Figure | None:
    """The accuracy of each model by scenario and backend."""
    known = [row for row in tables["memory_domains"] if row["accuracy"] is not None]
    best = models.best(row["model"] for row in known)
    if not best:
        return None
    series = fig.Series(models.named(best))
    rows = [
        {
            "model": models.names[row["model"]],
            "backend": BACKENDS[row["category"]],
            "scenario": row["scenario"],
            "accuracy": fig.points(row["accuracy"]),
        }
        for row in known
        if row["model"] in best
    ]
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    panels = [BACKENDS[category] for category in _judged(known)]
    base = alt.Chart(fig.data(rows)).encode(
        y=alt.Y("scenario:N", sort=scenarios, title=None, axis=alt.Axis(grid=False)),
        yOffset=alt.YOffset("model:N", sort=list(series.names)),
        color=series.colour(),
    )
    axis = alt.Axis(title="Accuracy (%)", values=[0, 25, 50, 75, 100], gridColor=LINE)
    chart = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=fig.percent_scale(alt.X, "accuracy").axis(axis), shape=series.shape()
    )
    height = alt.Step(max(8, 26 // max(1, len(best))), **{"for": "offset"})
    return fig.Figure(
        "memory_domains",
        "Memory: accuracy by scenario",
        "Accuracy of each model by scenario (the kind of assistant that it plays) and memory backend, in "
        "per cent." + limit_note(len(best), len({row["model"] for row in known})),
        fig.in_groups(
            rows, "model", lambda row: f"{row['scenario']} ({row['backend']})", "accuracy", series.names
        ),
        fig.in_panels(chart, panels, "backend", 160, height),
    )


def memory_changes(tables: RunTables, models: Models) -> fig.Figure | None:
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
    axis = alt.Axis(title="Calls", labelExpr=absolute, tickCount=4, tickMinStep=1)
    chart = fig.stacked_bars(
        rows,
        models.named(best),
        alt.X("calls:Q", axis=axis),
        fig.colours("change", [_REMOVED, _ADDED], [ORANGE, BLUE]),
        height=11,
    )
    about = (
        f"{models.names[model]}, {BACKENDS[category]}: {both[_ADDED]:,} added, {both[_REMOVED]:,} removed"
        for (model, category), both in sums.items()
        if model in best[:10]
    )
    return fig.Figure(
        "memory_changes",
        "Memory: additions and removals",
        "Calls in the sessions that add to the memory (to the right) and that remove one entry or all (to "
        "the left)." + limit_note(len(best), len(users)),
        "; ".join(about) + ".",
        fig.in_panels(chart, panels, "backend", 150, alt.Step(20)),
    )
