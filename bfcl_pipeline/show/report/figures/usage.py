"""Figures of cost and latency against the score, with the models that no other model beats in both."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models
from bfcl_pipeline.show.report.figures.style import BLUE, SOFT
from bfcl_pipeline.show.report.page.run_tables import RunTables

NAMED = 15
"""With more models than this, only those on the frontier have their names."""

_FEWEST_TICKS = 4
_DIGITS = ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0), tuple(n / 2 for n in range(2, 20)))

NEAR = 0.45
"""Names of points in this part of the scale, from its start, are on the right of them."""


@fig.of_runs("cost", place="usage", tables=["leaderboard", "usage"])
def cost(tables: RunTables, models: Models) -> fig.Figure | None:
    """Cost against the overall score, with the models that no other beats in both."""
    priced = {row["model"] for row in tables["usage"] if row["cost_usd"] is not None}
    return _against(tables, models, priced, "cost", "cost_usd", "Cost (US dollars, log scale)", "$")


@fig.of_runs("latency", place="usage", tables=["leaderboard"])
def latency(tables: RunTables, models: Models) -> fig.Figure | None:
    """Mean latency of a request against the overall score, with the models that no other beats in both."""
    timed = {row["model"] for row in tables["leaderboard"]}
    title = "Mean latency of a request (seconds, log scale)"
    return _against(tables, models, timed, "latency", "latency_mean_seconds", title, "s")


def _against(
    tables: RunTables, models: Models, known: set[str], name: str, column: str, title: str, unit: str
) -> fig.Figure | None:
    rows: list[dict[str, Any]] = [
        {"model": models.names[row["model"]], "x": row[column], "y": fig.points(row["overall"])}
        for row in tables["leaderboard"]
        if row["model"] in known and row[column] and row["overall"] is not None
    ]
    if len(rows) < 2:
        return None
    best = frontier(rows)
    for row in rows:
        row["frontier"] = row in best
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", domain=_domain([row["x"] for row in rows]), nice=False),
        axis=alt.Axis(title=title, format="~g", values=ticks([row["x"] for row in rows])),
    )
    start = fig.lower_limit(row["y"] for row in rows)
    y = alt.Y(
        "y:Q", scale=alt.Scale(domain=[start, 100], nice=False), axis=fig.percent_axis("Overall (%)", start)
    )
    named = rows if len(rows) <= NAMED else best
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    for row in rows:
        row["near"] = row["x"] < low * (high / low) ** NEAR
    sides = [True, False]
    base = alt.Chart(fig.data(rows)).encode(x=x, y=y)
    chart = alt.layer(
        alt.Chart(fig.data(best))
        .mark_line(interpolate="step-after", color=SOFT, strokeWidth=1.5, strokeDash=[5, 3])
        .encode(x=x, y=y),
        base.mark_point(filled=True, size=65, opacity=1).encode(
            color=fig.colours("frontier", sides, [BLUE, SOFT]).legend(None),
            shape=fig.shapes("frontier", sides, ["circle", "square"]).legend(None),
        ),
        *(
            alt.Chart(fig.data([row for row in named if (row["near"], row["frontier"]) == (near, above)]))
            .mark_text(align="left" if near else "right", dx=8 if near else -8, dy=-8 if above else 11)
            .encode(x=x, y=y, text="model:N")
            for near in sides
            for above in sides
        ),
    )
    what = "Cost" if name == "cost" else "Latency"
    of = ", ".join(f"{row['model']} {row['x']:.3g} {unit} and {row['y']:.1f} %" for row in best[:10])
    return fig.Figure(
        f"{what} and score",
        f"{what} against overall accuracy: no model is both better and "
        f"{'cheaper' if name == 'cost' else 'faster'} than one on the dashed line."
        + ("" if len(rows) <= NAMED else " Only models on the line are named."),
        f"Of {len(rows)} models, on the line: {of}.",
        chart.properties(width=520, height=320),
        fig.web_notes(tables["leaderboard"]),
    )


def frontier(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that no other row beats: with the lowest `x` for their `y`, by `x`."""
    best: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["x"], -row["y"])):
        if not best or row["y"] > best[-1]["y"]:
            best.append(row)
    return best


def _domain(values: Sequence[float]) -> list[float]:
    """The limits of a log scale, with room at both ends."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.06, 1.15)
    return [low / room, high * room]


def ticks(values: Sequence[float]) -> list[float]:
    """The labelled values of a log scale: 1, 2 and 5 times powers of ten; more over a short range."""
    low, high = _domain(values)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in _DIGITS:
        every = sorted(float(f"{digit}e{power}") for digit in digits for power in powers)
        found = [value for value in every if low <= value <= high]
        if len(found) >= _FEWEST_TICKS:
            break
    return found


FIGURES = (
    cost,
    latency,
)
