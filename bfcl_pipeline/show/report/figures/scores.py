"""Figures of the scores: overall, by group, paired differences, and wrong answers by error type."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from bfcl_pipeline.runs.web_label import score_mark
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import (
    LONGEST,
    Models,
    distinct,
    drawable_text,
    limit_note,
    number_names,
)
from bfcl_pipeline.show.report.figures.style import BLUE, RED, SOFT, STACK
from bfcl_pipeline.show.report.format import PARTIAL, is_partial, percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS

CLOSE_ROWS = 40
"""With more rows than this, they stand closer together."""

MOST_ROWS = 30
"""The most models with a bar of error types."""

OTHER_TYPES = "other types"
"""The last part of a bar: all types that have no part of their own."""

_OF_RUN, _PUBLISHED = "of this run", "published"


@fig.of_runs("overall", place="leaderboard", tables=["leaderboard", "published"])
def overall(tables: RunTables, models: Models) -> fig.Figure | None:
    """The overall score of every model with its interval; published scores stand back."""
    if not any(row["answered"] for row in tables["leaderboard"]):
        return None
    rows: list[dict[str, Any]] = [
        {
            "model": models.names[row["model"]],
            "source": _OF_RUN,
            "score": fig.points(row["overall"]),
            "low": fig.points(row["overall_ci_low"]),
            "high": fig.points(row["overall_ci_high"]),
            "text": percent(row["overall"], 1)
            + (PARTIAL if is_partial(row, "overall") else "")
            + score_mark(row, "overall", row["web"]),
        }
        for row in tables["leaderboard"]
        if row["overall"] is not None
    ]
    published = _published(tables)
    rows = sorted([*rows, *published], key=lambda row: -row["score"])
    for row in rows:
        row["end"] = row["score"] if row["high"] is None else row["high"]
    height = alt.Step(19 if len(rows) <= CLOSE_ROWS else 14)
    sources = [_OF_RUN, _PUBLISHED]
    colour = fig.colours("source", sources, [BLUE, SOFT])
    if not published:
        colour = colour.legend(None)
    base, bounded = (
        alt.Chart(fig.data(each)).encode(y=fig.named_rows([row["model"] for row in rows]), color=colour)
        for each in (rows, [row for row in rows if row["low"] is not None])
    )
    chart = alt.layer(
        bounded.mark_rule(strokeWidth=2).encode(x=fig.percent_scale(alt.X, "low"), x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=fig.percent_scale(alt.X, "score", "Overall (%)"),
            shape=fig.shapes("source", sources, ["circle", "diamond"]),
        ),
        base.mark_text(align="left", dx=8).encode(
            x=fig.percent_scale(alt.X, "end"), text="text:N", color=alt.value(SOFT)
        ),
    )
    partial = f"{PARTIAL} categories that were not evaluated count 0"
    marked = any(PARTIAL in row["text"] for row in rows)
    return fig.Figure(
        "Overall score",
        "Overall accuracy of each model in per cent, in the order of ranks, with its 95 % interval"
        + (", and published scores." if published else "."),
        f"Overall in per cent: {fig.in_words((row['model'], row['score']) for row in rows)}.",
        chart.properties(width=430, height=height),
        [*fig.web_notes(tables["leaderboard"]), *([partial] if marked else [])],
    )


def _published(tables: RunTables) -> list[dict[str, Any]]:
    ranked = [row for row in tables["published"] if row["overall"] is not None]
    names = distinct(f"{row['display_name']} [P]" for row in ranked)
    return [
        {
            "model": name,
            "source": _PUBLISHED,
            "score": fig.points(row["overall"]),
            "low": None,
            "high": None,
            "text": percent(row["overall"], 1),
        }
        for name, row in zip(names, ranked, strict=True)
    ]


@fig.of_runs("categories", place="leaderboard", tables=["leaderboard"])
def categories(tables: RunTables, models: Models) -> fig.Figure | None:
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
        {"model": models.names[row["model"]], "group": title, "score": fig.points(row[name])}
        for row in tables["leaderboard"]
        if row["model"] in best
        for name, title in groups.items()
        if row[name] is not None
    ]
    low = fig.lower_limit(row["score"] for row in rows)
    series = fig.Series(models.named(best))
    base = alt.Chart(fig.data(rows)).encode(
        x=alt.X(
            "group:N",
            sort=list(groups.values()),
            axis=alt.Axis(title=None, labelAngle=0, grid=True, labelPadding=8),
        ),
        y=alt.Y(
            "score:Q",
            scale=alt.Scale(domain=[low, 100], nice=False),
            axis=fig.percent_axis("Accuracy (%)", low, gridDash=[2, 3]),
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
        + fig.in_words((title, fig.points(row[name])) for name, title in groups.items())
        for row in of_best
    )
    return fig.Figure(
        "Scores by group",
        "Accuracy of each model in the groups of the leaderboard, in per cent."
        + limit_note(len(best), len(models.names)),
        f"Accuracy in per cent. {about}.",
        chart.properties(width=92 * len(groups), height=280),
        fig.web_notes(of_best),
    )


MOST_PAIRS = 40
"""The most pairs of models in the figure."""

SIDE = 24
"""The most characters of a name in a pair."""

_FIRST, _SECOND, _NEITHER = "the first is better", "the second is better", "neither is shown to be better"


@fig.of_runs("differences", place="comparisons", tables=["comparisons"])
def differences(tables: RunTables, models: Models) -> fig.Figure | None:
    """The differences of a pair of models in every score, or of several pairs in the overall."""
    pairs = list(dict.fromkeys((row["first"], row["second"]) for row in tables["comparisons"]))
    if not pairs:
        return None
    if len(pairs) == 1:
        chosen = list(tables["comparisons"])
        names = distinct(row["score"] + ("" if row["complete"] else PARTIAL) for row in chosen)
        what = f"{_name(models, pairs[0][0])} minus {_name(models, pairs[0][1])}"
        title, rows_are = f"Paired differences: {what}", "each score"
    else:
        wanted = tables["comparisons"][0]["score"]
        chosen = [row for row in tables["comparisons"] if row["score"] == wanted][:MOST_PAIRS]
        names = _pair_names(models, chosen)
        title, rows_are = "Paired differences in the overall score", "each pair, first minus second"
    rows = [_row(name, row) for name, row in zip(names, chosen, strict=True)]
    shown = [_FIRST, _SECOND, _NEITHER]
    shape = fig.shapes("result", shown, ["circle", "square", "diamond"])
    base = alt.Chart(fig.data(rows)).encode(
        y=fig.named_rows([row["name"] for row in rows], "name"),
        color=fig.colours("result", shown, [BLUE, RED, SOFT]),
    )
    x = alt.X("difference:Q", axis=alt.Axis(title="Difference (percentage points)", format="+~f"))
    chart = alt.layer(
        alt.Chart(fig.data([{"zero": 0}])).mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, shape=shape),
    )
    left_out = (
        f" The first {MOST_PAIRS} of {len(pairs)} pairs are shown." if len(pairs) > MOST_PAIRS else ""
    )
    return fig.Figure(
        title,
        f"Difference in accuracy of {rows_are}, on the entries that both have a verdict on, in percentage "
        f"points with its paired 95 % interval.{left_out}",
        f"Differences in points: {fig.in_words((row['name'], row['difference']) for row in rows)}.",
        chart.properties(width=430, height=alt.Step(19)),
    )


def _pair_names(models: Models, rows: Sequence[Row]) -> Sequence[str]:
    """The names of pairs; one that occurs again has its number."""
    sides = ((_name(models, row["first"], SIDE), _name(models, row["second"], SIDE)) for row in rows)
    return number_names(f"{first} \N{EN DASH} {second}" for first, second in sides)


def _name(models: Models, model: str, most: int = LONGEST) -> str:
    return drawable_text(models.names.get(model, model), most)


def _row(name: str, row: Row) -> dict[str, Any]:
    result = _FIRST if row["ci_low"] > 0 else _SECOND if row["ci_high"] < 0 else _NEITHER
    return {"name": name, **fig.shares(row, "difference"), "result": result}


@fig.of_runs("errors", place="", tables=["error_types"])
def errors(tables: RunTables, models: Models) -> fig.Figure | None:
    """Wrong answers by official error type, as stacked bars; on the page, a table has them."""
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
        "Wrong answers by error type",
        "Number of wrong answers of each model by official error type; the parts of a bar have the order "
        "of the legend." + limit_note(len(best), len(wrong)),
        f"Wrong answers of the models shown by type: {', '.join(sums)}.",
        chart.properties(width=430, height=alt.Step(22)),
    )


FIGURES = (
    overall,
    categories,
    differences,
    errors,
)
