"""One figure before and after it is drawn, and what charts have in common."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.runs.web_label import note
from bfcl_pipeline.show.report.page.run_tables import RunTables


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure as SVG."""

    name: str  # of its files, without suffix
    title: str
    caption: str
    notes: str  # sentences that the page has for all its figures at its top; may be empty
    svg: str  # a file of its own
    inline: str  # the same for the report: without ground and title, its identifiers unique on a page


_IN_WORDS = 10  # the most values in a description


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its texts."""

    name: str  # of its files, without suffix
    title: str
    caption: str  # one or two sentences: what is drawn, and what its marks mean
    about: str  # its content in words, for people who do not see it
    chart: ChartType
    notes: Sequence[str] = field(default=())  # lines below the title, such as which web was searched


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as the data of a chart."""
    return alt.InlineData(values=[dict(row) for row in rows])


def in_words(pairs: Iterable[tuple[str, float | None]], unit: str = "") -> str:
    """Values by name, as part of a description; the first ones if there are many."""
    texts = [f"{name} {value:.1f}{unit}" for name, value in pairs if value is not None]
    more = f" and {len(texts) - _IN_WORDS} more" if len(texts) > _IN_WORDS else ""
    return ", ".join(texts[:_IN_WORDS]) + more


def in_groups(
    names: Iterable[str], pairs: Callable[[str], Iterable[tuple[str, float | None]]], about: str = ""
) -> str:
    """The values of each group in words, as a description. pairs: of a group. about: before its values."""
    return "; ".join(f"{name}: {about}{in_words(pairs(name))}" for name in names) + "."


def web_notes(tables: RunTables) -> list[str]:
    """The line on a web that is not the real one, for figures on web search."""
    text = note(row["web"] for row in tables["web_hops"])
    return [text] if text else []


def points(share: float | None) -> float | None:
    """A share in per cent, as figures draw it."""
    return None if share is None else round(share * 100, 4)


def percent_axis(title: str, low: int = 0, **options: Any) -> alt.Axis:
    """An axis of per cent from `low` to 100."""
    return alt.Axis(title=title, values=list(range(low, 101, 20 if low < 40 else 10)), **options)


FULL = alt.Scale(domain=[0, 100], nice=False)
"""The scale of per cent."""


def lower_limit(values: Iterable[float]) -> int:
    """The multiple of 20 below the lowest value: where the scale of marks other than bars may start."""
    return min(80, int(min(values) // 20) * 20)
