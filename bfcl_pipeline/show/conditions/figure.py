"""The figure of a model's conditions: accuracy against throughput."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from bfcl_pipeline.benchmark.config.conditions import FIRST, LAST
from bfcl_pipeline.show.conditions.answers import ACCURACY
from bfcl_pipeline.show.conditions.view import Varied, shown
from bfcl_pipeline.show.report.figures.draw import add_figures, draw
from bfcl_pipeline.show.report.figures.figure import FULL, Figure, data, in_words, percent_axis
from bfcl_pipeline.show.report.figures.names import drawable_text
from bfcl_pipeline.show.report.figures.style import BLUE


def write_figure(folder: Path, found: Sequence[Varied], source: str) -> None:
    """Writes a figure for each model as SVG and PNG. source: the line below the title."""
    figures = {
        f"conditions{f'_{number}' if number > 1 else ''}": _figure(one)
        for number, one in enumerate(found, 1)
    }
    add_figures(folder, draw(figures, source))


def _figure(varied: Varied) -> Figure:
    rows: list[dict[str, Any]] = [
        {"name": shown(one.condition), "x": one.speed.requests_per_second, "y": 100 * share}
        for one in varied.asked
        if one.condition not in (FIRST, LAST) and one.speed and (share := one.share(ACCURACY)) is not None
    ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("x:Q", axis=alt.Axis(title="Requests answered in a second")),
        y=alt.Y("y:Q", scale=FULL, axis=percent_axis("Right (%)")),
    )
    chart = alt.layer(
        base.mark_point(filled=True, size=65, color=BLUE, opacity=1),
        base.mark_text(align="left", dx=8, dy=-8).encode(text="name:N"),
    )
    return Figure(
        f"Accuracy and throughput of {drawable_text(varied.model)}",
        "Each point is one condition: the share of right answers, and the requests answered in a second.",
        in_words((row["name"], row["y"]) for row in rows),
        chart,
    )
