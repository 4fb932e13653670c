"""Figures of wrong answers: by error type, by reason in memory categories, by what they did on the web."""

from collections import Counter
from typing import Any

import altair as alt

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.memory import BACKENDS
from bfcl_pipeline.show.report.figures.names import Models, drawable_text, limit_note
from bfcl_pipeline.show.report.figures.style import LINE, SOFT, STACK
from bfcl_pipeline.show.report.figures.web import CATEGORIES
from bfcl_pipeline.show.report.page.memory import ALL
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.transcripts.reasons import FAILURES, REASONS

MOST_ROWS = 30
"""The most models with a row of their own."""

OTHER_TYPES, OTHER_REASONS = "other types", "Other"
"""The last part of a bar: all types, and all reasons, that have no part of their own."""

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


def errors(tables: RunTables, models: Models) -> fig.Figure | None:
    """Wrong answers by official error type, as stacked bars."""
    totals: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for row in tables["error_types"]:
        totals[row["error_type"]] += row["count"]
    if not totals:
        return None
    own = sorted(totals, key=lambda kind: (-totals[kind], kind))
    if len(own) > len(STACK):
        own = own[: len(STACK) - 1]
    for row in tables["error_types"]:
        counts[row["model"], row["error_type"] if row["error_type"] in own else OTHER_TYPES] += row["count"]
    kinds = {kind: drawable_text(kind, 50) for kind in own}
    if len(own) < len(totals):
        kinds[OTHER_TYPES] = OTHER_TYPES
    wrong = {model for model, _ in counts}
    best = models.best(wrong, MOST_ROWS)
    rows = [
        {"model": models.names[model], "type": name, "place": place, "count": counts[model, kind]}
        for model in best
        for place, (kind, name) in enumerate(kinds.items())
        if counts[model, kind]
    ]
    names = list(kinds.values())
    chart = fig.stacked_bars(
        rows,
        models.named(best),
        fig.count_axis("count", "Wrong answers", 6),
        fig.colours("type", names, STACK, columns=2),
    ).encode(order=alt.Order("place:Q"))
    sums = (f"{name} {sum(counts[model, kind] for model in best):,}" for kind, name in kinds.items())
    return fig.Figure(
        "errors",
        "Wrong answers by error type",
        "Number of wrong answers of each model by official error type; the parts of a bar have the order "
        "of the legend." + limit_note(len(best), len(wrong)),
        f"Wrong answers of the models shown by type: {', '.join(sums)}.",
        chart.properties(width=430, height=alt.Step(22)),
    )


def memory(tables: RunTables, models: Models) -> fig.Figure | None:
    """Wrong answers to memory questions by reason and backend, as stacked bars."""
    counts: Counter[tuple[str, str, str]] = Counter()
    names = {reason.value: REASONS[reason][0] for reason in _SHOWN}
    for row in tables["memory_failures"]:
        if row["category"] != ALL:
            counts[row["model"], row["category"], names.get(row["reason"], OTHER_REASONS)] += row["count"]
    if not counts:
        return None
    wrong = {model for model, _, _ in counts}
    best = models.best(wrong, MOST_ROWS)
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
        "memory_failures",
        "Memory: why answers are wrong",
        "Wrong answers to memory questions by the first reason that applies; the parts of a bar have the "
        "order of the legend." + limit_note(len(best), len(wrong)),
        "; ".join(about) + ".",
        fig.in_panels(chart, list(panels.values()), "backend", 150, alt.Step(20)),
    )


def web(tables: RunTables, models: Models) -> fig.Figure | None:
    """The share of wrong answers with each kind of failure: each model, and the mean over models."""
    every = [
        {
            "panel": CATEGORIES.get(row["category"], row["category"]),
            "failure": FAILURES[row["failure"]],
            "share": fig.points(share),
            "model": row["model"],
        }
        for row in tables["web_failures"]
        if row["failure"] in FAILURES and (share := _share(row)) is not None
    ]
    known = dict.fromkeys(row["model"] for row in every)
    best = models.best(known)
    kinds = fig.present(FAILURES.values(), (row for row in every if row["share"]), "failure")
    if not kinds:
        return None
    series = fig.Series(models.named(best))
    rows = [
        {**row, "model": models.names[model]} for model in best for row in every if row["model"] == model
    ]
    means: list[dict[str, Any]] = [
        {"panel": row["panel"], "failure": row["failure"], "mean": row["share"]}
        for row in fig.means_by(every, ("panel", "failure"), "share")
        if row["failure"] in kinds
    ]
    panels = fig.present(CATEGORIES.values(), every, "panel")
    base = alt.Chart(fig.data(row for row in [*means, *rows] if row["failure"] in kinds)).encode(
        y=fig.named_rows(kinds, "failure")
    )
    axis = alt.Axis(title="Wrong answers (%)", values=[0, 25, 50, 75, 100])
    chart = alt.layer(
        base.transform_filter("isValid(datum.mean)")
        .mark_bar(height=15, color=LINE, stroke=SOFT, strokeWidth=0.6)
        .encode(x=fig.percent_scale(alt.X, "mean")),
        base.transform_filter("isValid(datum.share)")
        .mark_point(size=50, strokeWidth=1.6, opacity=1)
        .encode(
            x=fig.percent_scale(alt.X, "share").axis(axis), color=series.colour(), shape=series.shape()
        ),
    )
    return fig.Figure(
        "web_failures",
        "Web search: what wrong answers did",
        "Share of the wrong answers with each kind of failure, of which an answer may have several: the "
        f"mean over {plural(len(known), 'model', 'models')} (bars), and each model. Kinds "
        "without any answer are left out." + limit_note(len(best), len(known)),
        fig.in_groups(
            means, "panel", lambda row: row["failure"], "mean", panels, "mean over models in per cent "
        ),
        fig.in_panels(chart, panels, width=190, height=alt.Step(24)),
        fig.web_notes(tables["web_hops"]),
    )


def _share(row: Row) -> float | None:
    """The share of wrong answers with a failure, of those of which it is known."""
    known = row["wrong"] if row["known"] is None else row["known"]
    return row["count"] / known if known else None
