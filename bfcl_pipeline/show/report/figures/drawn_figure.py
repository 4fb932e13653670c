"""One figure after it is drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure as SVG."""

    name: str  # of its files, without suffix
    title: str
    caption: str
    notes: str  # sentences that the page has for all its figures at its top; may be empty
    svg: str  # a file of its own
    inline: str  # the same for the report: without ground and title, its identifiers unique on a page
