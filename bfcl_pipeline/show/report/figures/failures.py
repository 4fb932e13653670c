"""Figures of failures: why answers to memory questions are wrong, what wrong answers on the web did."""

from collections import Counter
from statistics import fmean
from typing import Any

import altair as alt

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.show.report.figures.figure import FULL, Figure, data, in_groups, points, web_notes
from bfcl_pipeline.show.report.figures.memory import BACKENDS
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import LINE, SOFT, STACK, Series
from bfcl_pipeline.show.report.figures.web import CATEGORIES
from bfcl_pipeline.show.report.page.memory import ALL
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.transcripts.reasons import FAILURES, REASONS

MOST_ROWS = 30
"""The most models with a row of their own."""

OTHERS = "Other"
"""The part of a bar with the reasons that have no part of their own."""

_COLOURS = (*STACK[:7], LINE, STACK[7])  # of _SHOWN and OTHERS

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


def memory(tables: RunTables, models: Models) -> Figure | None:
    """Wrong answers to memory questions by reason and backend, as stacked bars."""
    counts: Counter[tuple[str, str, str]] = Counter()
    names = {reason.value: REASONS[reason][0] for reason in _SHOWN}
    for row in tables["memory_failures"]:
        if row["category"] != ALL:
            counts[row["model"], row["category"], names.get(row["reason"], OTHERS)] += row["count"]
    if not counts:
        return None
    wrong = {model for model, _, _ in counts}
    best = models.best(wrong, MOST_ROWS)
    found = {reason for _, _, reason in counts}
    parts = [name for name in (*names.values(), OTHERS) if name in found]
    rows = [
        {
            "model": models.names[model],
            "backend": BACKENDS[category],
            "reason": reason,
            "place": parts.index(reason),
            "count": count,
        }
        for (model, category, reason), count in counts.items()
        if model in best
    ]
    panels = [BACKENDS[name] for name in GROUPS["memory"] if any(key[1] == name for key in counts)]
    colours = dict(zip((*names.values(), OTHERS), _COLOURS, strict=True))
    chart = (
        alt.Chart(data(rows))
        .mark_bar(height=11, stroke=SOFT, strokeWidth=0.6)
        .encode(
            y=alt.Y("model:N", sort=models.named(best), title=None),
            x=alt.X("count:Q", axis=alt.Axis(title="Wrong answers", format=",d", tickCount=4)),
            color=alt.Color(
                "reason:N",
                scale=alt.Scale(domain=parts, range=[colours[part] for part in parts]),
                legend=alt.Legend(title=None, orient="bottom", columns=4),
            ),
            order=alt.Order("place:Q"),
        )
        .properties(width=150, height=alt.Step(20))
        .facet(column=alt.Column("backend:N", sort=panels, title=None))
    )
    sums: Counter[tuple[str, str]] = Counter()
    for (model, category, reason), count in counts.items():
        if model in best:
            sums[category, reason] += count
    return Figure(
        "memory_failures",
        "Memory: why answers are wrong",
        "Wrong answers to memory questions by the first reason that applies; the parts of a bar have the "
        "order of the legend." + limit_note(len(best), len(wrong)),
        "; ".join(
            f"{BACKENDS[category]}: "
            + ", ".join(f"{reason} {sums[category, reason]:,}" for reason in parts)
            for category in GROUPS["memory"]
            if BACKENDS[category] in panels
        )
        + ".",
        chart,
    )


def web(tables: RunTables, models: Models) -> Figure | None:
    """The share of wrong answers with each kind of failure: each model, and the mean over models."""
    shares: dict[str, list[dict[str, Any]]] = {}
    for row in tables["web_failures"]:
        share = _share(row)
        if share is not None and row["failure"] in FAILURES:
            shares.setdefault(row["model"], []).append(
                {
                    "panel": CATEGORIES.get(row["category"], row["category"]),
                    "failure": FAILURES[row["failure"]],
                    "share": points(share),
                }
            )
    best = models.best(shares)
    if not any(row["share"] for found in shares.values() for row in found):
        return None
    series = Series(models.named(best))
    rows = [{**row, "model": models.names[model]} for model in best for row in shares[model]]
    every = [row for found in shares.values() for row in found]
    kinds = [
        name for name in FAILURES.values() if any(row["share"] for row in every if row["failure"] == name)
    ]
    grouped: dict[tuple[str, str], list[float]] = {}
    for row in every:
        grouped.setdefault((row["panel"], row["failure"]), []).append(row["share"])
    means: list[dict[str, Any]] = [
        {"panel": panel, "failure": failure, "mean": fmean(values)}
        for (panel, failure), values in grouped.items()
        if failure in kinds
    ]
    panels = [name for name in CATEGORIES.values() if any(row["panel"] == name for row in every)]
    y = alt.Y("failure:N", sort=kinds, title=None)
    base = alt.Chart(data(row for row in [*means, *rows] if row["failure"] in kinds))
    chart = (
        alt.layer(
            base.transform_filter("isValid(datum.mean)")
            .mark_bar(height=15, color=LINE, stroke=SOFT, strokeWidth=0.6)
            .encode(y=y, x=alt.X("mean:Q", scale=FULL)),
            base.transform_filter("isValid(datum.share)")
            .mark_point(size=50, strokeWidth=1.6, opacity=1)
            .encode(
                y=y,
                x=alt.X(
                    "share:Q",
                    scale=FULL,
                    axis=alt.Axis(title="Wrong answers (%)", values=[0, 25, 50, 75, 100]),
                ),
                color=series.colour(),
                shape=series.shape(),
            ),
        )
        .properties(width=190, height=alt.Step(24))
        .facet(column=alt.Column("panel:N", sort=panels, title=None))
    )
    return Figure(
        "web_failures",
        "Web search: what wrong answers did",
        "Share of the wrong answers with each kind of failure, of which an answer may have several: the "
        f"mean over {len(shares)} {'models' if len(shares) > 1 else 'model'} (bars), and each model. Kinds "
        "without any answer are left out." + limit_note(len(best), len(shares)),
        in_groups(
            panels,
            lambda panel: ((row["failure"], row["mean"]) for row in means if row["panel"] == panel),
            "mean over models in per cent ",
        ),
        chart,
        web_notes(tables),
    )


def _share(row: Row) -> float | None:
    """The share of wrong answers with a failure, of those of which it is known."""
    known = row["wrong"] if row["known"] is None else row["known"]
    return row["count"] / known if known else None
