"""Figures of memory: accuracy by backend and scenario, wrong answers by reason, additions and removals."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, LINE, ORANGE, SOFT, STACK
from bfcl_pipeline.show.report.page.memory import ALL
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.transcripts.reasons import REASONS

BACKENDS = {"memory_kv": "Key-value", "memory_vector": "Vector", "memory_rec_sum": "Recursive summary"}
"""The names of the backends by category."""

MOST_ROWS = 12
"""The most models of a backend."""

MOST_BARS = 30
"""The most models with a bar of reasons."""

OTHER_REASONS = "Other"
"""The last part of a bar: all reasons that have no part of their own."""

_COLOURS = (*STACK[:7], LINE, STACK[7])  # of _SHOWN and OTHER_REASONS

_SHOWN = (
    Reason.NEVER_STORED,
    Reason.DELETED,
    Reason.OVERWRITTEN,
    Reason.NOT_LOOKED_UP,
    Reason.NOT_FOUND,
    Reason.MISREAD,
    Reason.ABSTAINED,
    Reason.UNKNOWN,
)

_ADDED, _REMOVED = "added", "removed"


@fig.of_runs("memory_backends", place="memory", tables=["categories"])
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


@fig.of_runs("memory_domains", place="memory", tables=["memory_domains"])
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
        "Memory: accuracy by scenario",
        "Accuracy of each model by scenario (the kind of assistant that it plays) and memory backend, in "
        "per cent." + limit_note(len(best), len({row["model"] for row in known})),
        fig.in_groups(
            rows, "model", lambda row: f"{row['scenario']} ({row['backend']})", "accuracy", series.names
        ),
        fig.in_panels(chart, panels, "backend", 160, height),
    )


@fig.of_runs("memory_failures", place="memory_failures", tables=["memory_failures"])
def failures(tables: RunTables, models: Models) -> fig.Figure | None:
    """Wrong answers to memory questions by reason and backend, as stacked bars."""
    counts: Counter[tuple[str, str, str]] = Counter()
    names = {reason.value: REASONS[reason][0] for reason in _SHOWN}
    for row in tables["memory_failures"]:
        if row["category"] != ALL:
            counts[row["model"], row["category"], names.get(row["reason"], OTHER_REASONS)] += row["count"]
    if not counts:
        return None
    wrong = {model for model, _, _ in counts}
    best = models.best(wrong, MOST_BARS)
    colour_of = dict(zip((*names.values(), OTHER_REASONS), _COLOURS, strict=True))
    found = {reason for _, _, reason in counts}
    parts = [name for name in colour_of if name in found]
    asked = {category for _, category, _ in counts}
    panels = {name: BACKENDS[name] for name in GROUPS["memory"] if name in asked}
    rows = []
    sums: Counter[tuple[str, str]] = Counter()
    for (model, category, reason), count in counts.items():
        if model in best:
            sums[category, reason] += count
            where = {"model": models.names[model], "backend": BACKENDS[category]}
            rows.append({**where, "reason": reason, "place": parts.index(reason), "count": count})
    chart = fig.stacked_bars(
        rows,
        models.named(best),
        fig.count_axis("count", "Wrong answers", 4),
        fig.colours("reason", parts, [colour_of[part] for part in parts], columns=4),
        height=11,
    ).encode(order=alt.Order("place:Q"))
    about = (
        f"{name}: " + ", ".join(f"{reason} {sums[category, reason]:,}" for reason in parts)
        for category, name in panels.items()
    )
    return fig.Figure(
        "Memory: why answers are wrong",
        "Wrong answers to memory questions by the first reason that applies; the parts of a bar have the "
        "order of the legend." + limit_note(len(best), len(wrong)),
        "; ".join(about) + ".",
        fig.in_panels(chart, list(panels.values()), "backend", 150, alt.Step(20)),
    )


@fig.of_runs("memory_changes", place="memory_use", tables=["memory_use"])
def changes(tables: RunTables, models: Models) -> fig.Figure | None:
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
        "Memory: additions and removals",
        "Calls in the sessions that add to the memory (to the right) and that remove one entry or all (to "
        "the left)." + limit_note(len(best), len(users)),
        "; ".join(about) + ".",
        fig.in_panels(chart, panels, "backend", 150, alt.Step(20)),
    )


FIGURES = (
    backends,
    domains,
    failures,
    changes,
)
