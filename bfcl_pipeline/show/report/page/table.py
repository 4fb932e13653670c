"""One table of the page, and its cells.

Covers texts, sort keys, tooltips and styles of cells. The modules of the sections fill the tables;
`templates/table.html.j2` has their HTML, in which what most cells share is said once (`Cell.key`,
`Table.is_numeric`): with 100 models, a page has a hundred thousand cells.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import quote, urlencode

from markupsafe import Markup

from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS, RECORDED_KINDS
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.format import MISSING, NOTHING, count, interval, short_percent
from bfcl_pipeline.show.report.notes import mode_label


def entries_link(**filters: str) -> str:
    """The address of the list of entries with these filters.

    filters: model, second, category, verdict, error, status, rules or text.
    """
    return f"#entries?{urlencode(filters)}"


def conversation_of(*models: str) -> str:
    """The first part of the addresses of conversations: the model, or two beside each other."""
    return "+".join(quote(model, safe="") for model in models)


def entry_link(entry_id: str, *models: str) -> str:
    """The address of the conversation of one model over an entry, or of two beside each other."""
    return f"#{conversation_of(*models)}/{quote(entry_id, safe='')}"


def linked_entry(entry_id: str, *models: str) -> Markup:
    """The id of an entry in a fixed-width font, as a link to its conversation.

    models: whose conversation; none: the models of its table (`Table.models`).
    """
    of = Markup('="{}"').format(conversation_of(*models)) if models else ""
    return Markup("<code><span data-entry{}>{}</span></code>").format(of, entry_id)


UNSORTED = frozenset({"na", "missing"})
"""Styles of cells without a value: they come last."""

HEAT_LEVELS = 11
"""Steps of the colour scale; the last is for 100 % alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str  # escaped unless it is Markup
    value: float | str | None = None  # sort key; cells without one come last
    note: str = ""  # small text beneath
    title: str = ""  # tooltip
    style: str = ""  # CSS classes
    scope: str = ""  # of a header cell: row, col or colgroup; empty for a data cell
    width: int = 1  # columns that it spans
    link: str = ""  # an address within the page, of `links`

    @property
    def plain_text(self) -> str:
        """The text without elements."""
        return str(self.text.striptags() if isinstance(self.text, Markup) else self.text)

    @property
    def key(self) -> str | None:
        """What a script cannot read from the text of the cell to sort by it; None: the text is enough.

        `templates/sort.js` reads a text without its note, a number with its separators of thousands, a
        dash as 0, and nothing from a cell of style `na` or `missing`. Empty for other cells that have a
        text and no sort key.
        """
        if self.value is None:
            return "" if self.text and UNSORTED.isdisjoint(self.style.split()) else None
        if isinstance(self.value, float):
            return repr(float(f"{self.value:.6g}"))
        shown = self.plain_text
        if isinstance(self.value, int):
            shown = "0" if shown == NOTHING else shown.replace(",", "")
        elif shown == NOTHING:
            return self.value
        return None if shown == str(self.value) else str(self.value)

    @classmethod
    def name(cls, name: str) -> Self:
        """The heading of a model's row."""
        return cls(isolate(name), name, style="name", scope="row")

    @classmethod
    def linked_name(cls, row: Mapping[str, Any]) -> Self:
        """The name with a link, if the model has a web address, and a badge for its mode and its kind.

        row: of the table `leaderboard`.
        """
        name = text = row["display_name"]
        if row["url"].startswith(("https://", "http://")):
            text = Markup('<a href="{}" rel="noreferrer">{}</a>').format(row["url"], name)
        what = "embedded" if row["kind"] in EMBEDDED_KINDS else "results"
        marked = row["kind"] in EMBEDDED_KINDS | RECORDED_KINDS
        mode = mode_label(name, row.get("mode"))
        badges = ", ".join([*([mode] if mode else []), *([what] if marked else [])])
        badge = Markup(' <span class="badge">{}</span>').format(badges) if badges else ""
        return cls(isolate(text) + badge, name, style="name", scope="row")

    @classmethod
    def published_name(cls, row: Mapping[str, Any]) -> Self:
        """The name of a model with published scores. row: of the table `published`."""
        cell = cls.linked_name({**row, "url": row["url"] or "", "kind": None})
        return replace(cell, style="name published", title=f"published {row['date']}: {row['source']}")

    @classmethod
    def sortable(cls, text: str) -> Self:
        """A text that is its own sort key."""
        return cls(text, text)

    @classmethod
    def code(cls, text: str) -> Self:
        """A name from the data, in a fixed-width font, that is its own sort key."""
        return cls(Markup("<code>{}</code>").format(text), text)

    @classmethod
    def message(cls, text: str) -> Self:
        """A long text that is its own sort key."""
        return cls(isolate(text), text, style="message")

    @classmethod
    def entry(cls, entry_id: str, *models: str) -> Self:
        """The id of an entry that is its own sort key; models: as of `linked_entry`."""
        return cls(linked_entry(entry_id, *models), entry_id)

    @classmethod
    def number(cls, text: str, value: float | None, note: str = "", title: str = "") -> Self:
        """A number; without a value it is grey and sorted last."""
        return cls(text, value, note, title, "number na" if value is None else "number")

    @classmethod
    def count(cls, number: int, note: str = "", title: str = "") -> Self:
        """A count, with a dash for 0."""
        return cls.number(count(number) if number else NOTHING, number, note, title)

    @classmethod
    def heat(cls, share: float | None, text: str, note: str = "", title: str = "") -> Self:
        """A share on the colour scale; full colour is 100 %, hatched is no value."""
        level = "missing" if share is None else f"h{int(share * (HEAT_LEVELS - 1))}"
        return cls(text, share, note, title, f"heat {level}")

    @classmethod
    def accuracy(cls, row: Mapping[str, Any] | None, web: str | None = None, details: str = "") -> Self:
        """An accuracy on the colour scale with its counts and interval.

        Args:
            row: has the columns of `tables.spec.tally`; None if nothing was evaluated.
            web: the web searched, as in the column `web`.
            details: added to the tooltip.
        """
        if row is None or row["accuracy"] is None:
            return cls.heat(None, MISSING, title="not evaluated")
        title = f"{count(row['correct'])} of {count(row['answered'])} right{details}"
        text = short_percent(row["accuracy"]) + mark(web)
        return cls.heat(row["accuracy"], text, interval(row["ci_low"], row["ci_high"]), title)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the page."""

    label: str  # its name for assistive software
    head: Sequence[Sequence[Cell]]
    rows: Sequence[Sequence[Cell]]
    foot: Sequence[Sequence[Cell]] = ()
    style: str = "sortable"  # CSS classes
    summary: str = ""  # if not empty, the table is folded beneath this line
    models: str = ""  # whose conversations its ids of entries lead to (`links.conversation_of`)
    left_out: Sequence[str] = ()  # the headings of columns that have no value

    @property
    def is_sortable(self) -> bool:
        """Whether a click on a heading sorts the rows."""
        return "sortable" in self.style.split()

    @property
    def is_numeric(self) -> bool:
        """Whether most cells of the rows are plain numbers, so that the HTML says it once."""
        cells = [cell.style for row in self.rows for cell in row if not cell.scope]
        return cells.count("number") > cells.count("")


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One column of a table: its heading, and the cell of each line."""

    title: str  # escaped unless it is Markup
    cell: Callable[..., Cell]  # its arguments are the parts of a line
    style: str = "number"  # CSS classes of the heading
    tooltip: str = ""  # of the heading

    @property
    def heading(self) -> Cell:
        """The cell above the column."""
        return Cell(self.title, title=self.tooltip, style=self.style, scope="col")


def each(
    titles: Mapping[Any, str], cell: Callable[..., Cell], style: str = "number", tall: bool = False
) -> list[PageColumn]:
    """A column for each of the keys.

    Args:
        titles: the heading by key.
        cell: of the parts of a line and the key.
        style: as of `PageColumn`.
        tall: whether the columns are narrow, with rotated headings.
    """
    shown = (Markup("<span>{}</span>").format(title) if tall else title for title in titles.values())
    return [
        PageColumn(
            title, lambda *line, key=key: cell(*line, key), f"{style} tall".strip() if tall else style
        )
        for key, title in zip(titles, shown, strict=True)
    ]


MODEL = PageColumn("Model", lambda model, *_: Cell.name(model["display_name"]), "name")
"""The name of the model, of lines that begin with its row of the leaderboard."""

LINKED_MODEL = PageColumn("Model", lambda model, *_: replace(Cell.linked_name(model), value=None), "name")
"""The same with a link and badges, in tables that cannot be sorted."""


def lines_table(
    label: str,
    lines: Iterable[Sequence[Any]],
    columns: Sequence[PageColumn],
    groups: Sequence[Cell] = (),
    *,
    drop_empty: bool = False,
    **about: Any,
) -> Table | None:
    """The table with a row for each line; None without lines.

    Args:
        label: as of `Table`.
        lines: each the arguments of the columns' functions.
        columns: in their order.
        groups: headings above those of the columns.
        drop_empty: whether columns without a value are left out (`without_empty_columns`).
        about: further fields of the table.
    """
    rows = [[column.cell(*line) for column in columns] for line in lines]
    if not rows:
        return None
    head = [column.heading for column in columns]
    table = Table(label, [groups, head] if groups else [head], rows, **about)
    return without_empty_columns(table) if drop_empty else table


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row has a value; `left_out` has their headings.

    The lowest row of its head has a cell for each column.
    """
    empty = {
        place
        for place, cells in enumerate(zip(*table.rows, strict=True))
        if not any(UNSORTED.isdisjoint(cell.style.split()) for cell in cells)
    }

    def kept(row: Sequence[Cell]) -> Iterator[Cell]:
        start = 0
        for cell in row:
            width = len({*range(start, start + cell.width)} - empty)
            start += cell.width
            if width:
                yield replace(cell, width=width)

    head, rows, foot = ([list(kept(row)) for row in part] for part in (table.head, table.rows, table.foot))
    titles = [cell.plain_text for place, cell in enumerate(table.head[-1]) if place in empty]
    return replace(table, head=head, rows=rows, foot=foot, left_out=titles)


def headings(titles: Iterable[str], style: str = "number") -> list[Cell]:
    """The headings of columns."""
    return [Cell(title, style=style, scope="col") for title in titles]


def group_headings(widths: Mapping[str, int], names: int = 1) -> list[Cell]:
    """Headings over several columns each, after the columns of names."""
    groups = [Cell(title, style="group", scope="colgroup", width=width) for title, width in widths.items()]
    return [Cell("", style="name", width=names), *groups]


def isolate(text: str) -> Markup:
    """A text isolated from the writing direction of the text around it."""
    return Markup("<bdi>{}</bdi>").format(text)
