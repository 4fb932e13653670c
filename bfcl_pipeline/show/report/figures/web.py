"""Figures of web search: steps and accuracy by number of hops, with and without snippets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from bfcl_pipeline.show.report.figures.figure import (
    FULL,
    Figure,
    data,
    in_groups,
    percent_axis,
    points,
    web_notes,
)
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, INK, LINE, RED, SKY, SOFT, Series
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

WITH, WITHOUT = "with snippets", "without snippets"
CATEGORIES = {"web_search_base": WITH, "web_search_no_snippet": WITHOUT}
"""What the categories of web search differ in."""

MOST_ROWS = 30
"""The most models with a row of their own."""

_QUANTILES = (10, 25, 50, 75, 90)

_PANELS = {"mean_steps": "(a) all answers", "mean_steps_correct": "(b) right answers"}


def steps(tables: RunTables, models: Models) -> Figure | None:
    """Mean steps by hops, of all answers and of the right ones: each model, and the mean over models."""
    rows = [
        {"panel": panel, "model": models.names[model], "hops": hops, "steps": value}
        for column, panel in _PANELS.items()
        for (model, hops), value in _mean_steps(tables["web_hops"], column).items()
    ]
    if not rows:
        return None
    means = list(_means(rows))
    panels = [panel for panel in _PANELS.values() if any(row["panel"] == panel for row in rows)]
    x = alt.X("hops:O", axis=alt.Axis(title="Hops of the question", labelAngle=0))
    y = alt.Y("steps:Q", axis=alt.Axis(title="Mean steps per question", tickMinStep=1))
    every = [{**row, "mean": False} for row in rows] + [{**row, "mean": True} for row in means]
    base = alt.Chart(data(every)).encode(x=x, y=y)
    behind, above = "!datum.mean", "datum.mean"
    few = len({row["model"] for row in rows}) <= MOST_ROWS
    chart = (
        alt.layer(
            base.transform_filter(behind)
            .mark_line(color=SOFT, strokeWidth=0.8, opacity=0.5)
            .encode(detail="model:N"),
            *([base.transform_filter(behind).mark_point(size=26, color=SOFT, opacity=0.8)] if few else []),
            base.transform_filter(above).mark_line(color=BLUE, strokeWidth=2.6),
            base.transform_filter(above).mark_point(
                shape="square", filled=True, size=75, color=BLUE, opacity=1
            ),
            base.transform_filter(above)
            .mark_text(dy=-13, color=INK, fontWeight="bold")
            .encode(text=alt.Text("steps:Q", format=".1f")),
        )
        .properties(width=250, height=240)
        .facet(column=alt.Column("panel:N", sort=panels, title=None))
    )
    return Figure(
        "web_steps",
        "Web search: steps by number of hops",
        "Mean number of steps of a model for questions of so many hops: each model "
        f"({'circles' if few else 'thin lines'}), and the mean over models (squares)."
        + (" Right answers are those with a valid verdict." if len(panels) > 1 else ""),
        in_groups(
            panels,
            lambda panel: ((f"{row['hops']} hops", row["steps"]) for row in means if row["panel"] == panel),
            "mean over models ",
        ),
        chart,
        web_notes(tables),
    )


def _mean_steps(rows: Iterable[Row], column: str) -> Mapping[tuple[str, int], float]:
    """The mean of a column by model and hops, over the categories by their numbers of answers."""
    weight = "answered" if column == "mean_steps" else "correct"
    sums: dict[tuple[str, int], tuple[float, int]] = {}
    for row in rows:
        if row.get(column) is not None and row[weight]:
            total, count = sums.get((row["model"], row["hops"]), (0.0, 0))
            key = row["model"], row["hops"]
            sums[key] = total + row[column] * row[weight], count + row[weight]
    return {key: total / count for key, (total, count) in sums.items()}


def _means(rows: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """The mean over models of each panel and number of hops."""
    for panel, hops in sorted({(row["panel"], row["hops"]) for row in rows}):
        values = [row["steps"] for row in rows if (row["panel"], row["hops"]) == (panel, hops)]
        yield {"panel": panel, "hops": hops, "steps": sum(values) / len(values)}


def spread(tables: RunTables, _: Models) -> Figure | None:
    """The distribution of steps by hops, of all answers and of the right ones, over all models."""
    found: dict[tuple[str, int], list[int]] = {}
    for row in tables["web_questions"]:
        for panel in list(_PANELS.values())[: 2 if row["valid"] else 1]:
            found.setdefault((panel, row["hops"]), []).append(row["steps"])
    if not found:
        return None
    rows = [
        {"panel": panel, "hops": hops, **_quantiles(steps)}
        for (panel, hops), steps in sorted(found.items())
    ]
    panels = [panel for panel in _PANELS.values() if any(row["panel"] == panel for row in rows)]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("hops:O", axis=alt.Axis(title="Hops of the question", labelAngle=0))
    )
    limits = alt.Scale(domain=[0, max(row["p90"] for row in rows) + 1], nice=False)
    y = alt.Y("p10:Q", scale=limits, axis=alt.Axis(title="Steps per question", tickMinStep=1, format="d"))
    chart = (
        alt.layer(
            base.mark_rule(strokeWidth=1.4, color=SOFT).encode(y=y, y2="p90:Q"),
            base.mark_bar(size=26, color=SKY, stroke=SOFT, strokeWidth=0.8).encode(
                y=alt.Y("p25:Q", scale=limits), y2="p75:Q"
            ),
            base.mark_tick(thickness=2.6, size=26, color=INK).encode(y=alt.Y("p50:Q", scale=limits)),
            base.mark_text(dy=-9, color=SOFT).encode(y=alt.Y("p90:Q", scale=limits), text="answers:N"),
        )
        .properties(width=250, height=240)
        .facet(column=alt.Column("panel:N", sort=panels, title=None))
    )
    models = len({row["model"] for row in tables["web_questions"]})
    return Figure(
        "web_steps_spread",
        "Web search: distribution of steps",
        f"Steps of an answer by hops of its question, over the answers of "
        f"{models} {'models' if models > 1 else 'model'}: median (tick), the middle half (box), the middle "
        "80 % (line), and the number of answers above.",
        in_groups(
            panels,
            lambda panel: ((f"{row['hops']} hops", row["p50"]) for row in rows if row["panel"] == panel),
            "median ",
        ),
        chart,
        web_notes(tables),
    )


def _quantiles(steps: Sequence[int]) -> dict[str, Any]:
    """The quantiles of numbers of steps, each one of these numbers, and how many they are."""
    ranked = sorted(steps)
    places = {f"p{part}": ranked[min(len(ranked) - 1, len(ranked) * part // 100)] for part in _QUANTILES}
    return {**places, "answers": f"{len(ranked):,}"}


def hops(tables: RunTables, models: Models) -> Figure | None:
    """Accuracy by hops of each model with its interval."""
    known = [row for row in tables["web_hops"] if row["accuracy"] is not None]
    best = models.best(row["model"] for row in known)
    if not best:
        return None
    rows = [
        {
            "model": models.names[row["model"]],
            "panel": CATEGORIES.get(row["category"], row["category"]),
            "hops": row["hops"],
            "accuracy": points(row["accuracy"]),
            "low": points(row["ci_low"]),
            "high": points(row["ci_high"]),
        }
        for row in known
        if row["model"] in best
    ]
    series = Series(models.named(best))
    panels = [name for name in CATEGORIES.values() if any(row["panel"] == name for row in rows)]
    x = alt.X("hops:O", axis=alt.Axis(title="Hops of the question", labelAngle=0))
    beside = alt.XOffset("model:N", sort=list(series.names))
    base = alt.Chart(data(rows)).encode(x=x, xOffset=beside, color=series.colour())
    chart = (
        alt.layer(
            base.mark_rule(strokeWidth=1.4).encode(y=alt.Y("low:Q", scale=FULL), y2="high:Q"),
            base.mark_point(filled=True, size=55, opacity=1).encode(
                y=alt.Y("accuracy:Q", scale=FULL, axis=percent_axis("Accuracy (%)")), shape=series.shape()
            ),
        )
        .properties(width=250, height=240)
        .facet(column=alt.Column("panel:N", sort=panels, title=None))
    )
    entries = {row["hops"]: row["entries"] for row in known}
    asked = ", ".join(f"{number} of {hop}" for hop, number in sorted(entries.items()))
    return Figure(
        "web_hops",
        "Web search: accuracy by number of hops",
        "Accuracy of each model on questions of so many hops, in per cent with its 95 % interval "
        f"(questions by hops: {asked})." + limit_note(len(best), len({row["model"] for row in known})),
        in_groups(
            series.names,
            lambda name: (
                (f"{row['hops']} hops {row['panel']}", row["accuracy"])
                for row in rows
                if row["model"] == name
            ),
        ),
        chart,
        web_notes(tables),
    )


def snippets(tables: RunTables, models: Models) -> Figure | None:
    """The accuracy of each model with and without snippets."""
    found = {
        models.names[row["model"]]: (row["web_search_base"], row["web_search_no_snippet"])
        for row in tables["leaderboard"]
        if None not in (row["web_search_base"], row["web_search_no_snippet"])
    }
    return snippets_of(found, web_notes(tables))


def snippets_of(
    found: Mapping[str, tuple[float, float]], notes: Sequence[str], figure: str = "web_snippets"
) -> Figure | None:
    """The figure of accuracies with and without snippets by name of a model."""
    if not found:
        return None
    names = sorted(found, key=lambda name: (-found[name][0], name))[:MOST_ROWS]
    ends = [
        {"model": name, "side": side, "accuracy": points(share)}
        for name in names
        for side, share in zip((WITH, WITHOUT), found[name], strict=True)
    ]
    spans = [
        {"model": name, "low": points(min(found[name])), "high": points(max(found[name]))} for name in names
    ]
    y = alt.Y("model:N", sort=names, title=None)
    sides = [WITH, WITHOUT]
    chart = alt.layer(
        alt.Chart(data(spans))
        .mark_rule(color=LINE, strokeWidth=4)
        .encode(y=y, x=alt.X("low:Q", scale=FULL), x2="high:Q"),
        alt.Chart(data(ends))
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(
            y=y,
            x=alt.X("accuracy:Q", scale=FULL, axis=percent_axis("Accuracy (%)")),
            color=alt.Color(
                "side:N",
                scale=alt.Scale(domain=sides, range=[BLUE, RED]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            shape=alt.Shape("side:N", scale=alt.Scale(domain=sides, range=["circle", "diamond"])),
        ),
    )
    return Figure(
        figure,
        "Web search with and without snippets",
        "Accuracy of each model with and without snippets in the search results, in per cent."
        + (
            f" The {len(names)} highest of {len(found)} models are shown."
            if len(names) < len(found)
            else ""
        ),
        "; ".join(
            f"{name}: {WITH} {found[name][0] * 100:.1f}, {WITHOUT} {found[name][1] * 100:.1f}"
            for name in names
        )
        + ".",
        chart.properties(width=430, height=alt.Step(22)),
        notes,
    )
