"""Figures of web search: steps and accuracy by number of hops, with and without snippets, and failures."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import altair as alt

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, INK, LINE, RED, SKY, SOFT
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.transcripts.reasons import FAILURES

WITH, WITHOUT = "with snippets", "without snippets"
CATEGORIES = {"web_search_base": WITH, "web_search_no_snippet": WITHOUT}
"""What the categories of web search differ in."""

HOPS = alt.X("hops:O", axis=alt.Axis(title="Hops of the question", labelAngle=0))

MOST_ROWS = 30
"""The most models with a row of their own."""

_QUANTILES = (10, 25, 50, 75, 90)

_PANELS = {"mean_steps": "(a) all answers", "mean_steps_correct": "(b) right answers"}


@fig.of_runs("web_steps", place="web", tables=["web_hops"])
def steps(tables: RunTables, models: Models) -> fig.Figure | None:
    """Mean steps by hops, of all answers and of the right ones: each model, and the mean over models."""
    rows = [
        {"panel": panel, "model": models.names[model], "hops": hops, "steps": value}
        for column, panel in _PANELS.items()
        for (model, hops), value in _mean_steps(tables["web_hops"], column).items()
    ]
    if not rows:
        return None
    means = sorted(fig.means_by(rows, ("panel", "hops"), "steps"), key=itemgetter("panel", "hops"))
    panels = fig.present(_PANELS.values(), rows, "panel")
    y = alt.Y("steps:Q", axis=alt.Axis(title="Mean steps per question", tickMinStep=1))
    few = len({row["model"] for row in rows}) <= MOST_ROWS
    return fig.Figure(
        "Web search: steps by number of hops",
        "Mean number of steps of a model for questions of so many hops: each model "
        f"({'circles' if few else 'thin lines'}), and the mean over models (squares)."
        + (" Right answers are those with a valid verdict." if len(panels) > 1 else ""),
        fig.in_groups(
            means, "panel", lambda row: f"{row['hops']} hops", "steps", panels, "mean over models "
        ),
        fig.in_panels(fig.each_and_mean(rows, means, HOPS, y, few), panels),
        fig.web_notes(tables["web_hops"]),
    )


def _mean_steps(rows: Iterable[Row], column: str) -> Mapping[tuple[str, int], float]:
    """The mean of a column by model and hops, over the categories by their numbers of answers."""
    weight = "answered" if column == "mean_steps" else "correct"
    sums: dict[tuple[str, int], tuple[float, int]] = {}
    for row in rows:
        if row.get(column) is not None and row[weight]:
            key = row["model"], row["hops"]
            total, count = sums.get(key, (0.0, 0))
            sums[key] = total + row[column] * row[weight], count + row[weight]
    return {key: total / count for key, (total, count) in sums.items()}


@fig.of_runs("web_steps_spread", place="web", tables=["web_questions"])
def spread(tables: RunTables, _: Models) -> fig.Figure | None:
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
    panels = fig.present(_PANELS.values(), rows, "panel")
    base = alt.Chart(fig.data(rows)).encode(x=HOPS)
    limits = alt.Scale(domain=[0, max(row["p90"] for row in rows) + 1], nice=False)
    axis = alt.Axis(title="Steps per question", tickMinStep=1, format="d")
    low, middle, median, high = (alt.Y(f"{name}:Q", scale=limits) for name in ("p10", "p25", "p50", "p90"))
    chart = alt.layer(
        base.mark_rule(strokeWidth=1.4, color=SOFT).encode(y=low.axis(axis), y2="p90:Q"),
        base.mark_bar(size=26, color=SKY, stroke=SOFT, strokeWidth=0.8).encode(y=middle, y2="p75:Q"),
        base.mark_tick(thickness=2.6, size=26, color=INK).encode(y=median),
        base.mark_text(dy=-9, color=SOFT).encode(y=high, text="answers:N"),
    )
    models = len({row["model"] for row in tables["web_questions"]})
    return fig.Figure(
        "Web search: distribution of steps",
        f"Steps of an answer by hops of its question, over the answers of "
        f"{plural(models, 'model', 'models')}: median (tick), the middle half (box), the middle "
        "80 % (line), and the number of answers above.",
        fig.in_groups(rows, "panel", lambda row: f"{row['hops']} hops", "p50", panels, "median "),
        fig.in_panels(chart, panels),
        fig.web_notes(tables["web_hops"]),
    )


def _quantiles(steps: Sequence[int]) -> dict[str, Any]:
    """Quantiles of numbers of steps (always an observed value), and the number of answers."""
    ranked = sorted(steps)
    places = {f"p{part}": ranked[min(len(ranked) - 1, len(ranked) * part // 100)] for part in _QUANTILES}
    return {**places, "answers": f"{len(ranked):,}"}


@fig.of_runs("web_hops", place="web", tables=["web_hops"])
def hops(tables: RunTables, models: Models) -> fig.Figure | None:
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
            **fig.shares(row),
        }
        for row in known
        if row["model"] in best
    ]
    series = fig.Series(models.named(best))
    beside = alt.XOffset("model:N", sort=list(series.names))
    base = alt.Chart(fig.data(rows)).encode(x=HOPS, xOffset=beside, color=series.colour())
    chart = alt.layer(
        base.mark_rule(strokeWidth=1.4).encode(y=fig.percent_scale(alt.Y, "low"), y2="high:Q"),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=fig.percent_scale(alt.Y, "accuracy", "Accuracy (%)"), shape=series.shape()
        ),
    )
    entries = {row["hops"]: row["entries"] for row in known}
    asked = ", ".join(f"{number} of {hop}" for hop, number in sorted(entries.items()))
    return fig.Figure(
        "Web search: accuracy by number of hops",
        "Accuracy of each model on questions of so many hops, in per cent with its 95 % interval "
        f"(questions by hops: {asked})." + limit_note(len(best), len({row["model"] for row in known})),
        fig.in_groups(
            rows, "model", lambda row: f"{row['hops']} hops {row['panel']}", "accuracy", series.names
        ),
        fig.in_panels(chart, fig.present(CATEGORIES.values(), rows, "panel")),
        fig.web_notes(tables["web_hops"]),
    )


@fig.of_runs("web_snippets", place="web", tables=["leaderboard"])
def snippets(tables: RunTables, models: Models) -> fig.Figure | None:
    """The accuracy of each model with and without snippets."""
    found = {
        models.names[row["model"]]: (row["web_search_base"], row["web_search_no_snippet"])
        for row in tables["leaderboard"]
        if None not in (row["web_search_base"], row["web_search_no_snippet"])
    }
    return snippets_of(found, fig.web_notes(tables["web_hops"]))


def snippets_of(found: Mapping[str, tuple[float, float]], notes: Sequence[str]) -> fig.Figure | None:
    """The figure of accuracies with and without snippets by name of a model."""
    if not found:
        return None
    names = sorted(found, key=lambda name: (-found[name][0], name))[:MOST_ROWS]
    sides = [WITH, WITHOUT]
    ends = [
        {"model": name, "side": side, "accuracy": fig.points(share)}
        for name in names
        for side, share in zip(sides, found[name], strict=True)
    ]
    spans = [
        {"model": name, "low": fig.points(min(found[name])), "high": fig.points(max(found[name]))}
        for name in names
    ]
    y = fig.named_rows(names)
    chart = alt.layer(
        alt.Chart(fig.data(spans))
        .mark_rule(color=LINE, strokeWidth=4)
        .encode(y=y, x=fig.percent_scale(alt.X, "low"), x2="high:Q"),
        alt.Chart(fig.data(ends))
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(
            y=y,
            x=fig.percent_scale(alt.X, "accuracy", "Accuracy (%)"),
            color=fig.colours("side", sides, [BLUE, RED]),
            shape=fig.shapes("side", sides, ["circle", "diamond"]),
        ),
    )
    about = (
        f"{name}: {WITH} {found[name][0] * 100:.1f}, {WITHOUT} {found[name][1] * 100:.1f}" for name in names
    )
    return fig.Figure(
        "Web search with and without snippets",
        "Accuracy of each model with and without snippets in the search results, in per cent."
        + limit_note(len(names), len(found), "highest"),
        "; ".join(about) + ".",
        chart.properties(width=430, height=alt.Step(22)),
        notes,
    )


@fig.of_runs("web_failures", place="web", tables=["web_failures"])
def failures(tables: RunTables, models: Models) -> fig.Figure | None:
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


FIGURES = (
    steps,
    spread,
    hops,
    snippets,
    failures,
)
