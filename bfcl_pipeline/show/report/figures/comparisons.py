"""The figure of paired differences: a forest plot."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bfcl_pipeline.show.report.figures.figure import Figure, data, in_words, points
from bfcl_pipeline.show.report.figures.names import LONGEST, Models, distinct, drawable_text, number_names
from bfcl_pipeline.show.report.figures.style import BLUE, RED, SOFT
from bfcl_pipeline.show.report.format import PARTIAL
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

MOST_PAIRS = 40
"""The most pairs of models in the figure."""

SIDE = 24
"""The most characters of a name in a pair."""

_FIRST, _SECOND, _NEITHER = "the first is better", "the second is better", "neither is shown to be better"


def draw_differences(tables: RunTables, models: Models) -> Figure | None:
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
    y = alt.Y("name:N", sort=[row["name"] for row in rows], title=None)
    shown = [_FIRST, _SECOND, _NEITHER]
    colour = alt.Color(
        "result:N",
        scale=alt.Scale(domain=shown, range=[BLUE, RED, SOFT]),
        legend=alt.Legend(title=None, orient="bottom"),
    )
    shape = alt.Shape("result:N", scale=alt.Scale(domain=shown, range=["circle", "square", "diamond"]))
    base = alt.Chart(data(rows)).encode(y=y, color=colour)
    x = alt.X("difference:Q", axis=alt.Axis(title="Difference (percentage points)", format="+~f"))
    chart = alt.layer(
        alt.Chart(data([{"zero": 0}])).mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, shape=shape),
    )
    left_out = (
        f" The first {MOST_PAIRS} of {len(pairs)} pairs are shown." if len(pairs) > MOST_PAIRS else ""
    )
    return Figure(
        "differences",
        title,
        f"Difference in accuracy of {rows_are}, on the entries that both have a verdict on, in percentage "
        f"points with its paired 95 % interval.{left_out}",
        f"Differences in points: {in_words((row['name'], row['difference']) for row in rows)}.",
        chart.properties(width=430, height=alt.Step(19)),
    )


def _pair_names(models: Models, rows: Sequence[Row]) -> Sequence[str]:
    """The names of pairs; one that occurs again has its number."""
    sides = ((_name(models, row["first"], SIDE), _name(models, row["second"], SIDE)) for row in rows)
    return number_names(f"{first} \N{EN DASH} {second}" for first, second in sides)


def _name(models: Models, model: str, most: int = LONGEST) -> str:
    return drawable_text(models.names.get(model, model), most)


def _row(name: str, row: Row) -> dict[str, Any]:
    low, high = points(row["ci_low"]), points(row["ci_high"])
    result = _FIRST if row["ci_low"] > 0 else _SECOND if row["ci_high"] < 0 else _NEITHER
    return {
        "name": name,
        "difference": points(row["difference"]),
        "low": low,
        "high": high,
        "result": result,
    }
