"""Figures of the scores: overall with intervals, scores by group, prompt formats."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bfcl_pipeline.runs.web_label import note, score_mark
from bfcl_pipeline.show.report.figures.figure import (
    FULL,
    Figure,
    data,
    in_words,
    lower_limit,
    percent_axis,
    points,
)
from bfcl_pipeline.show.report.figures.names import Models, distinct, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, INK, LINE, SOFT, Series
from bfcl_pipeline.show.report.format import PARTIAL, is_partial, percent
from bfcl_pipeline.show.report.page.run_tables import RunTables, by_model
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS

CLOSE_ROWS = 40
"""With more rows than this, they stand closer together."""

MOST_FORMAT_ROWS = 30
"""The most models in the figure of prompt formats."""

_OF_RUN, _PUBLISHED = "of this run", "published"


def overall(tables: RunTables, models: Models) -> Figure | None:
    """The overall score of every model with its interval; published scores stand back."""
    if not any(row["answered"] for row in tables["leaderboard"]):
        return None
    rows: list[dict[str, Any]] = [
        {
            "model": models.names[row["model"]],
            "source": _OF_RUN,
            "score": points(row["overall"]),
            "low": points(row["overall_ci_low"]),
            "high": points(row["overall_ci_high"]),
            "text": percent(row["overall"], 1)
            + (PARTIAL if is_partial(row, "overall") else "")
            + score_mark(row, "overall", row["web"]),
        }
        for row in tables["leaderboard"]
        if row["overall"] is not None
    ]
    rows += _published(tables)
    rows.sort(key=lambda row: -row["score"])
    for row in rows:
        row["end"] = row["score"] if row["high"] is None else row["high"]
    height = alt.Step(19 if len(rows) <= CLOSE_ROWS else 14)
    y = alt.Y("model:N", sort=[row["model"] for row in rows], title=None)
    scale = alt.Scale(domain=[_OF_RUN, _PUBLISHED], range=[BLUE, SOFT])
    legend = alt.Legend(title=None, orient="bottom") if tables["published"] else None
    colour = alt.Color("source:N", scale=scale, legend=legend)
    shape = alt.Shape("source:N", scale=alt.Scale(domain=scale.domain, range=["circle", "diamond"]))
    base = alt.Chart(data(rows)).encode(y=y, color=colour)
    bounded = [row for row in rows if row["low"] is not None]
    chart = alt.layer(
        alt.Chart(data(bounded))
        .mark_rule(strokeWidth=2)
        .encode(y=y, x=alt.X("low:Q", scale=FULL), x2="high:Q", color=colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=alt.X("score:Q", scale=FULL, axis=percent_axis("Overall (%)")), shape=shape
        ),
        base.mark_text(align="left", dx=8).encode(
            x=alt.X("end:Q", scale=FULL), text="text:N", color=alt.value(SOFT)
        ),
    )
    web = note(row["web"] for row in tables["leaderboard"])
    partial = f"{PARTIAL} categories that were not evaluated count 0"
    marked = any(PARTIAL in row.get("text", "") for row in rows)
    return Figure(
        "overall",
        "Overall score",
        "Overall accuracy of each model in per cent, in the order of ranks, with its 95 % interval"
        + (", and published scores." if tables["published"] else "."),
        f"Overall in per cent: {in_words((row['model'], row['score']) for row in rows)}.",
        chart.properties(width=430, height=height),
        [text for text in (web, partial if marked else "") if text],
    )


def _published(tables: RunTables) -> list[dict[str, Any]]:
    names = distinct(f"{row['display_name']} [P]" for row in tables["published"])
    return [
        {
            "model": name,
            "source": _PUBLISHED,
            "score": points(row["overall"]),
            "low": None,
            "high": None,
            "text": percent(row["overall"], 1),
        }
        for name, row in zip(names, tables["published"], strict=True)
    ]


def categories(tables: RunTables, models: Models) -> Figure | None:
    """The scores of the groups as parallel coordinates.

    A radar has the same content; its areas depend on the order of the groups, and values of different
    groups cannot be compared along one scale.
    """
    groups = {
        name: title
        for name, title in LEADERBOARD_COLUMNS.items()
        if name != "overall" and any(row[name] is not None for row in tables["leaderboard"])
    }
    if len(groups) < 2:
        return None
    best = models.best(row["model"] for row in tables["leaderboard"])
    rows: list[dict[str, Any]] = [
        {"model": models.names[row["model"]], "group": title, "score": points(row[name])}
        for row in tables["leaderboard"]
        if row["model"] in best
        for name, title in groups.items()
        if row[name] is not None
    ]
    low = lower_limit(row["score"] for row in rows)
    series = Series(models.named(best))
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "group:N",
            sort=list(groups.values()),
            axis=alt.Axis(title=None, labelAngle=0, grid=True, labelPadding=8),
        ),
        y=alt.Y(
            "score:Q",
            scale=alt.Scale(domain=[low, 100], nice=False),
            axis=percent_axis("Accuracy (%)", low, gridDash=[2, 3]),
        ),
        color=series.colour(),
    )
    chart = alt.layer(
        base.mark_line(strokeWidth=1.8).encode(strokeDash=series.dash()),
        base.mark_point(filled=True, size=55, opacity=1).encode(shape=series.shape()),
    )
    of_best = [row for row in tables["leaderboard"] if row["model"] in best]
    about = "; ".join(
        f"{models.names[row['model']]}: "
        + in_words((title, points(row[name])) for name, title in groups.items())
        for row in of_best
    )
    web = note(row["web"] for row in of_best)
    return Figure(
        "categories",
        "Scores by group",
        "Accuracy of each model in the groups of the leaderboard, in per cent."
        + limit_note(len(best), len(models.names)),
        f"Accuracy in per cent. {about}.",
        chart.properties(width=92 * len(groups), height=280),
        [web] if web else [],
    )


def formats(tables: RunTables, models: Models) -> Figure | None:
    """The accuracy in each prompt format: a tick each, with the range and the mean of a model."""
    known = {
        model: [row["accuracy"] for row in rows if row["accuracy"] is not None]
        for model, rows in by_model(tables["formats"]).items()
    }
    best = models.best((model for model, shares in known.items() if len(shares) > 1), MOST_FORMAT_ROWS)
    if not best:
        return None
    ticks = [
        {"model": models.names[model], "accuracy": points(share)}
        for model in best
        for share in known[model]
    ]
    spans = [_span(models.names[model], known[model]) for model in best]
    y = alt.Y("model:N", sort=models.named(best), title=None)
    chart = alt.layer(
        alt.Chart(data(spans))
        .mark_rule(color=LINE, strokeWidth=8)
        .encode(y=y, x=alt.X("low:Q", scale=FULL), x2="high:Q"),
        alt.Chart(data(ticks))
        .mark_tick(color=BLUE, thickness=1.5, height=12)
        .encode(y=y, x=alt.X("accuracy:Q", scale=FULL, axis=percent_axis("Accuracy (%)"))),
        alt.Chart(data(spans))
        .mark_point(shape="diamond", filled=True, size=70, color=INK, opacity=1)
        .encode(y=y, x=alt.X("mean:Q", scale=FULL)),
        alt.Chart(data(spans))
        .mark_text(align="left", dx=9, color=SOFT)
        .encode(y=y, x=alt.X("high:Q", scale=FULL), text="text:N"),
    )
    return Figure(
        "formats",
        "Sensitivity to the prompt format",
        "Accuracy on the same questions in each prompt format (ticks), its mean (diamond), and the "
        "difference of the best and the worst in percentage points." + limit_note(len(best), len(known)),
        f"Best minus worst format in points: {in_words((span['model'], span['range']) for span in spans)}.",
        chart.properties(width=430, height=alt.Step(24)),
    )


def _span(name: str, shares: Sequence[float]) -> dict[str, Any]:
    low, high = min(shares), max(shares)
    return {
        "model": name,
        "low": points(low),
        "high": points(high),
        "mean": points(sum(shares) / len(shares)),
        "range": points(high - low),
        "text": f"\N{GREEK CAPITAL LETTER DELTA} {percent(high - low, 1)}",
    }
