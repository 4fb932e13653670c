"""Channels that distinguish models: each has a colour, a dash and a shape."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from bfcl_pipeline.show.report.figures.style import DASHES, SERIES, SHAPES


@dataclass(frozen=True, slots=True)
class Series:
    """The channels of up to eight names, in their order."""

    names: Sequence[str]
    field: str = "model"

    def colour(self, legend: bool = True) -> alt.Color:
        """Colours of lines and points."""
        scale = alt.Scale(domain=list(self.names), range=list(SERIES[: len(self.names)]))
        return alt.Color(f"{self.field}:N", scale=scale, legend=_legend(legend))

    def dash(self) -> alt.StrokeDash:
        """Dashes of lines."""
        scale = alt.Scale(domain=list(self.names), range=list(DASHES[: len(self.names)]))
        return alt.StrokeDash(f"{self.field}:N", scale=scale, legend=_legend(True))

    def shape(self) -> alt.Shape:
        """Shapes of points."""
        scale = alt.Scale(domain=list(self.names), range=list(SHAPES[: len(self.names)]))
        return alt.Shape(f"{self.field}:N", scale=scale, legend=_legend(True))


def _legend(shown: bool) -> alt.Legend | None:
    return alt.Legend(title=None, orient="bottom", columns=3, symbolStrokeWidth=1.8) if shown else None
