"""A figure as a record, before and after it is drawn; and what charts have in common."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, TypeAlias

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.runs.web_label import note
from bfcl_pipeline.show.report.figures.names import Models
from bfcl_pipeline.show.report.figures.style import BLUE, DASHES, INK, PANEL, SERIES, SHAPES, SOFT
from bfcl_pipeline.show.report.page.run_tables import RunTables

_IN_WORDS = 10  # the most values in a description


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its texts."""

    title: str
    caption: str  # one or two sentences: what is drawn, and what its marks mean
    about: str  # its content in words, for people who do not see it
    chart: ChartType
    notes: Sequence[str] = ()  # lines below the title, such as which web was searched


Make: TypeAlias = Callable[[RunTables, Models], Figure | None]
"""Makes a figure of tables; None if they have no numbers for it."""


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure of runs: files, page, `docs/report.md` and tests follow from it."""

    name: str  # of its files, without suffix
    place: str  # on the page: a table with its own section, or `figures["PLACE"]` in a template; or none
    tables: Sequence[str]  # those that it is drawn from
    joined: bool  # whether it may have the models of several runs
    make: Make

    @property
    def content(self) -> str:
        """What it shows, in the list of docs/report.md: the first line of the function's docstring."""
        return (self.make.__doc__ or "").partition("\n")[0].removesuffix(".")


def of_runs(
    name: str, *, place: str, tables: Sequence[str], joined: bool = True
) -> Callable[[Make], FigureSpec]:
    """Makes a function that draws a figure the record of it; the arguments are its fields."""
    return partial(FigureSpec, name, place, tables, joined)


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure as SVG."""

    name: str  # of its files, without suffix
    title: str
    caption: str
    notes: str  # sentences that the page has for all its figures at its top; may be empty
    svg: str  # a file of its own
    inline: str  # the same for the report: without ground and title, its identifiers unique on a page


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as the data of a chart."""
    return alt.InlineData(values=[dict(row) for row in rows])


def in_words(pairs: Iterable[tuple[str, float | None]]) -> str:
    """Values by name, as part of a description; the first ones if there are many."""
    texts = [f"{name} {value:.1f}" for name, value in pairs if value is not None]
    more = f" and {len(texts) - _IN_WORDS} more" if len(texts) > _IN_WORDS else ""
    return ", ".join(texts[:_IN_WORDS]) + more


def in_groups(
    rows: Sequence[Mapping[str, Any]],
    by: str,
    label: Callable[[Mapping[str, Any]], str],
    value: str,
    names: Iterable[str],
    about: str = "",
) -> str:
    """The values of the rows of each group in words, as a description.

    Args:
        by: the column with the group.
        label: of a value, from its row.
        value: the column with the value.
        names: the groups.
        about: before the values of each.
    """
    texts = (in_words((label(row), row[value]) for row in rows if row[by] == name) for name in names)
    return "; ".join(f"{name}: {about}{text}" for name, text in zip(names, texts, strict=True)) + "."


def present(names: Iterable[str], rows: Iterable[Mapping[str, Any]], column: str) -> list[str]:
    """Those of the names that are in a column."""
    found = {row[column] for row in rows}
    return [name for name in names if name in found]


def means_by(rows: Iterable[Mapping[str, Any]], keys: Sequence[str], value: str) -> list[dict[str, Any]]:
    """The mean of a column over models by the columns `keys`."""
    grouped: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[key] for key in keys), []).append(row[value])
    return [
        {**dict(zip(keys, group, strict=True)), value: fmean(values)} for group, values in grouped.items()
    ]


def web_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The line on a web that is not the real one, for figures on rows with a column `web`."""
    text = note(row["web"] for row in rows)
    return [text] if text else []


def points(share: float | None) -> float | None:
    """A share in per cent, as figures draw it."""
    return None if share is None else round(share * 100, 4)


def percent_axis(title: str, low: int = 0, **options: Any) -> alt.Axis:
    """An axis of per cent from `low` to 100."""
    return alt.Axis(title=title, values=list(range(low, 101, 20 if low < 40 else 10)), **options)


FULL = alt.Scale(domain=[0, 100], nice=False)
"""The scale of per cent."""


def shares(row: Mapping[str, Any], name: str = "accuracy") -> dict[str, float | None]:
    """A share of a row and the limits of its interval in per cent, as `name`, `low` and `high`."""
    return {name: points(row[name]), "low": points(row["ci_low"]), "high": points(row["ci_high"])}


def lower_limit(values: Iterable[float]) -> int:
    """The multiple of 20 below the lowest value: where the scale of marks other than bars may start."""
    return min(80, int(min(values) // 20) * 20)


def percent_scale(channel: Callable[..., Any], column: str, title: str | None = None) -> Any:
    """A channel of per cent. channel: alt.X or alt.Y. title: of the axis; None: it is that of a layer."""
    axis = {} if title is None else {"axis": percent_axis(title)}
    return channel(f"{column}:Q", scale=FULL, **axis)


def named_rows(names: Sequence[str], column: str = "model") -> alt.Y:
    """A row for each of the names."""
    return alt.Y(f"{column}:N", sort=list(names), title=None)


def count_axis(column: str, title: str, ticks: int, **options: Any) -> alt.X:
    """An axis of counts."""
    return alt.X(f"{column}:Q", axis=alt.Axis(title=title, format=",d", tickCount=ticks, **options))


def colours(column: str, names: Sequence[Any], chosen: Sequence[str], **legend: Any) -> alt.Color:
    """A colour for each name, in the order of `chosen`, with a legend. legend: its options."""
    return alt.Color(**_named(column, names, chosen, orient="bottom", **legend))


def shapes(column: str, names: Sequence[Any], chosen: Sequence[str], **legend: Any) -> alt.Shape:
    """A shape for each name, likewise. legend: its options; none: that of the colours."""
    return alt.Shape(**_named(column, names, chosen, **legend))


def _named(column: str, names: Sequence[Any], chosen: Sequence[Any], **legend: Any) -> dict[str, Any]:
    scale = alt.Scale(domain=list(names), range=list(chosen[: len(names)]))
    shown = {"legend": alt.Legend(title=None, **legend)} if legend else {}
    return {"shorthand": f"{column}:N", "scale": scale, **shown}


_LEGEND = {"columns": 3, "symbolStrokeWidth": 1.8}


@dataclass(frozen=True, slots=True)
class Series:
    """The channels of up to eight models, in their order."""

    names: Sequence[str]

    def colour(self) -> alt.Color:
        """Colours of lines and points."""
        return colours("model", self.names, SERIES, **_LEGEND)

    def dash(self) -> alt.StrokeDash:
        """Dashes of lines."""
        return alt.StrokeDash(**_named("model", self.names, DASHES, orient="bottom", **_LEGEND))

    def shape(self) -> alt.Shape:
        """Shapes of points."""
        return shapes("model", self.names, SHAPES, orient="bottom", **_LEGEND)


def stacked_bars(
    rows: Iterable[Mapping[str, Any]], names: Sequence[str], x: alt.X, parts: alt.Color, **bar: Any
) -> Any:
    """A bar for each of the names, of parts. bar: options of the mark."""
    bars = alt.Chart(data(rows)).mark_bar(stroke=SOFT, strokeWidth=0.6, **bar)
    return bars.encode(y=named_rows(names), x=x, color=parts)


def each_and_mean(
    rows: Sequence[Mapping[str, Any]], means: Sequence[Mapping[str, Any]], x: alt.X, y: alt.Y, circles: bool
) -> ChartType:
    """Each model as a thin line, with circles if these are wanted, and the mean over models above them."""
    every = [{**row, "mean": False} for row in rows] + [{**row, "mean": True} for row in means]
    base = alt.Chart(data(every)).encode(x=x, y=y)
    behind, above = base.transform_filter("!datum.mean"), base.transform_filter("datum.mean")
    return alt.layer(
        behind.mark_line(color=SOFT, strokeWidth=0.8, opacity=0.5).encode(detail="model:N"),
        *([behind.mark_point(size=26, color=SOFT, opacity=0.8)] if circles else []),
        above.mark_line(color=BLUE, strokeWidth=2.6),
        above.mark_point(shape="square", filled=True, size=75, color=BLUE, opacity=1),
        above.mark_text(dy=-13, color=INK, fontWeight="bold").encode(
            text=alt.Text(y.shorthand, format=".1f")
        ),
    )


def in_panels(
    chart: Any,
    panels: Sequence[str] | None,
    column: str = "panel",
    width: int = 250,
    height: int | alt.Step = 240,
) -> Any:
    """The chart once for each panel, side by side. panels: in this order; None: ordered by name."""
    sort = alt.Undefined if panels is None else list(panels)
    columns = alt.Column(f"{column}:N", title=None, sort=sort)
    return chart.properties(width=width, height=height).facet(column=columns)


def panel_title(title: str) -> alt.TitleParams:
    """The title of a chart below others."""
    return alt.TitleParams(title, style=PANEL, anchor="start", frame="group", offset=6)
