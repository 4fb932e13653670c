"""One figure after it is drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure as SVG."""

    name: str  # of its files, without suffix
    title: str
    caption: str
    svg: str  # a file of its own
    inline: str  # the same for the report: without ground and title, its identifiers unique on a page
