"""The style of all figures: colours, marks, fonts.

The colours of series are those of Okabe and Ito, which people with colour blindness can tell apart; in
grey, series differ by dashes and shapes, and neighbours in a bar by lightness. The report changes the
colours of text, lines and ground for its dark form by CSS (`page/templates/style.css`).
"""

from collections.abc import Mapping
from typing import Any

INK = "#16202c"
"""Text, and whatever has no colour of its own."""
SOFT = "#556170"
"""Secondary text; series that stand back: published scores, single models behind a mean."""
LINE = "#dbe1e8"
"""Grid lines."""
GROUND = "#ffffff"
"""Behind everything."""

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
SKY, RED, YELLOW, GREY = "#56b4e9", "#d55e00", "#f0e442", "#8d99a6"

SERIES = (BLUE, RED, GREEN, PINK, ORANGE, SKY, INK, GREY)
"""The colours of lines and points, by place. Without yellow, which is hardly visible on white."""

DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 4], [1, 3], [10, 3, 2, 3, 2, 3])
"""The dashes of lines, by place."""

SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-right", "triangle-left"),
)
"""The shapes of points, by place."""

STACK = (BLUE, YELLOW, RED, SKY, GREEN, ORANGE, INK, GREY)
"""The colours of the parts of a bar, in their order: neighbours differ in lightness."""

MOST_SERIES = len(SERIES)
"""The most series in a figure with one colour for each."""

FONT = "Liberation Sans"
"""Texts are measured and drawn with it. The renderer brings it: no font of the machine is used."""

PANEL = "panel"
"""The style of the titles of panels."""

FAMILIES = f"{FONT}, Arial, Helvetica, sans-serif"
"""The font families of a figure file, for programs that do not have the font."""


def config(text_scale: float = 1.0) -> Mapping[str, Any]:
    """The theme, as a configuration of Vega-Lite. text_scale: how much larger texts are than usual."""
    normal, larger, title = (round(size * text_scale, 1) for size in (11, 12, 14))
    text = {"labelColor": SOFT, "titleColor": INK, "titleFontWeight": "normal"}
    sizes = {"labelFontSize": normal, "titleFontSize": normal}
    return {
        "font": FONT,
        "background": GROUND,
        "padding": 12,
        "view": {"stroke": None},
        "axis": {
            **text,
            **sizes,
            "labelLimit": round(320 * text_scale),
            "gridColor": LINE,
            "domainColor": LINE,
            "tickColor": LINE,
            "titlePadding": 8,
        },
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
        "header": {**text, "labelFontSize": larger, "labelColor": INK, "titleFontSize": larger},
        "legend": {
            **text,
            **sizes,
            "labelColor": INK,
            "labelLimit": round(320 * text_scale),
            "symbolSize": 70,
            "title": None,
        },
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "fontSize": title,
            "color": INK,
            "subtitleFontSize": normal,
            "subtitleColor": SOFT,
            "subtitlePadding": 4,
            "offset": 14,
        },
        "style": {PANEL: {"font": FONT, "fontSize": larger, "fontWeight": "normal", "fill": INK}},
        "text": {"fontSize": normal, "fill": INK},
        "rule": {"color": INK},
    }
