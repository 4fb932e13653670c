"""What one table under `results/<run>/tables` is: its name, what a row is, its columns, how rows are made.

A column says all that is known of it: its type and its description, where its value is from, and how people
see it. Parquet, CSV, the page, the terminal, LaTeX, Markdown and docs/tables.md follow from it.

Every table is written as Parquet and as CSV with the same columns and row order. Accuracies and interval
limits are between 0 and 1; a null is an empty CSV field. The descriptions of columns are part of the
Parquet files: with other words, an archive made before could not be verified byte for byte. `all_tables`
lists the tables. The terminal reads headings from here, so libraries of tables load where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from bfcl_pipeline.benchmark.definition.leaderboard import Group, Mean
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.report.format import Cell, Shown, as_category, as_count, as_number, as_text

if TYPE_CHECKING:
    import pyarrow as pa

    from bfcl_pipeline.benchmark.errata.faithful_answers import Passing
    from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords
    from bfcl_pipeline.show.report.tables.errata_tables import ListedEntry
    from bfcl_pipeline.show.report.tables.model_scores import ModelScore
    from bfcl_pipeline.show.report.tables.run_records import RunRecords
    from bfcl_pipeline.world.tools.memory.encoder import Encoder

Row: TypeAlias = dict[str, Any]
"""One row of a table by column."""

Made = TypeVar("Made")


class _Sources:
    """What several tables are made of is computed once."""

    _made: dict[Callable[..., Any], Any]

    def once(self, make: Callable[[Self], Made]) -> Made:
        """What `make` makes of this, computed at the first call."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made


@dataclass(frozen=True, slots=True)
class RunSources(_Sources):
    """What the tables of a run are made of, but for those on single conversations."""

    records: RunRecords
    scores: Sequence[ModelScore]  # under every rule set, as `model_scores` returns them
    rules: Rules  # the rule set of the official files
    data: Path  # the staged release
    errata: Sequence[ListedEntry] = ()  # the entries of the run that the errata list
    passing: Mapping[str, Passing] = attribute(default_factory=dict)  # faithful answers, by entry
    own_errata: Sequence[Row] = ()  # the rows of the table of this name
    sizes: Mapping[str, int] | None = None  # entries in means by size, by category; None: those scored
    missing: Collection[str] = ()  # models without responses
    official: Sequence[ModelScore] = ()  # those of the official files, if these count stored errors
    _made: dict[Callable[..., Any], Any] = attribute(default_factory=dict)

    @property
    def by_name(self) -> list[ModelScore]:
        """The scores in the order of most tables: by name, then rules."""
        order = list(Rules)
        return sorted(self.scores, key=lambda score: (score.model.name, order.index(score.rules)))


@dataclass(frozen=True, slots=True)
class ModelSources(_Sources):
    """What the tables on the conversations of one model with a memory or on the web are made of."""

    records: AgenticRecords
    encoder: Encoder | None = None  # raises ModelError for a text without a stored embedding
    _made: dict[Callable[..., Any], Any] = attribute(default_factory=dict)


class ColumnKind(StrEnum):
    """What the values of a column are, by their type in a Parquet file."""

    TEXT = "string"
    COUNT = "int64"
    SHARE = "double"
    MARK = "bool"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. One that may have no value is shown if a row has one."""

    name: str
    kind: ColumnKind
    about: str  # what it holds
    nullable: bool  # whether a value may be missing
    value: Callable[[Any], Any] | None = None  # of the record of a row; None: what that has by this name
    heading: str = ""  # on the page; empty: not shown there
    short: str = ""  # the heading in the terminal; empty: not shown there
    tooltip: str = ""  # of the heading on the page
    cell: Cell = as_text  # how the value in a row is shown
    group: str = ""  # the heading above those of neighbours
    place: int = 0  # among the columns that are shown; equal ones are in the order of the table

    def of(self, record: Any) -> Any:
        """The value in the row of a record. Raises KeyError if it lacks one that may not be missing.

        A record is a mapping, or has what it shares with other tables in the mapping `key`.
        """
        if self.value is not None:
            return self.value(record)
        known = record if isinstance(record, Mapping) else record.key
        return known.get(self.name) if self.nullable else known[self.name]

    def shown(self, row: Mapping[str, Any]) -> Shown:
        """The value in a row as people see it."""
        return self.cell(row, self.name)


def _columns_of(kind: ColumnKind, cell: Cell) -> Callable[..., Column]:
    def column(name: str, about: str, value: Callable[[Any], Any] | None = None, **look: Any) -> Column:
        optional = name.endswith("?")
        return Column(name.removesuffix("?"), kind, about, optional, value, **{"cell": cell, **look})

    return column


text = _columns_of(ColumnKind.TEXT, as_text)
count = _columns_of(ColumnKind.COUNT, as_count)
share = _columns_of(ColumnKind.SHARE, as_number)
mark = _columns_of(ColumnKind.MARK, as_text)
"""Make columns of texts, whole numbers, real numbers, and true and false.

Their name, which ends with `?` if a value may be missing; what it holds; its value; further fields by name.
"""


@dataclass(frozen=True, slots=True)
class View:
    """The place of a table on the page, with a row for each of its rows and the columns with a heading."""

    section: str  # the id of the section that has it at its end; the name of the table: one of its own
    label: str  # its name for assistive software
    lead: str  # the text above it
    title: str = ""  # of a section of its own


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: all that is known of it."""

    name: str  # of its files
    about: str  # what one row is, in Markdown
    columns: Sequence[Column]
    rows: Callable[[RunSources], Iterable[Any]] | None = None  # the record of each row
    of_model: Callable[[ModelSources], Iterable[Row]] | None = None  # those of one model, without its name
    always: bool = False  # whether every run has it; others only if there are rows
    view: View | None = None  # None: the page has it not at all, or by a function of its own

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types and descriptions."""
        import pyarrow as pa

        types = {
            ColumnKind.TEXT: pa.string(),
            ColumnKind.COUNT: pa.int64(),
            ColumnKind.SHARE: pa.float64(),
            ColumnKind.MARK: pa.bool_(),
        }
        fields = (
            pa.field(one.name, types[one.kind], one.nullable, {"description": one.about})
            for one in self.columns
        )
        return pa.schema(fields)

    @property
    def shown(self) -> list[Column]:
        """The columns with a heading on the page, in its order."""
        return sorted(filter(attrgetter("heading"), self.columns), key=attrgetter("place"))

    @property
    def short(self) -> list[Column]:
        """Those with one in the terminal, likewise."""
        return sorted(filter(attrgetter("short"), self.columns), key=attrgetter("place"))

    def typed(self, texts: Mapping[str, str | None]) -> Row:
        """The row of a CSV file with its numbers. Raises ValueError if one is not a number."""
        numbers = {ColumnKind.COUNT: int, ColumnKind.SHARE: float}
        row: Row = {}
        for column in self.columns:
            if column.name in texts:
                known = texts[column.name]
                row[column.name] = known and numbers.get(column.kind, str)(known)
        return row

    def row(self, record: Any, run: str | None = None) -> Row:
        """The row of a record.

        Raises:
            KeyError: the record lacks a value that may not be missing, or has one without a column.
        """
        names = {column.name for column in self.columns}
        if isinstance(record, Mapping) and not record.keys() <= names:
            raise KeyError(f"table {self.name}: no column {', '.join(sorted(record.keys() - names))}")
        return {column.name: run if column is RUN else column.of(record) for column in self.columns}

    def table(self, records: Iterable[Any], run: str | None = None) -> pa.Table:
        """The table with a row for each record. Raises KeyError as `row` does."""
        import pyarrow as pa

        return pa.Table.from_pylist([self.row(record, run) for record in records], schema=self.schema)

    def write(self, folder: Path, table: pa.Table) -> None:
        """Writes it as Parquet and CSV; without rows it removes both, unless every run has this table.

        What an earlier configuration left must not be shown as part of this one.
        """
        from bfcl_pipeline.benchmark.tables.text_forms import CSV, PARQUET, write_any_form

        for form in (PARQUET, CSV):
            path = folder / f"{self.name}{form}"
            if len(table) or self.always:
                write_any_form(path, table)
            else:
                path.unlink(missing_ok=True)


RUN = text("run?", "name of the run; null if the responses tell none")
MODEL = text("model", "name of the model")
RULES = text("rules", "official, corrected or verified: the rule set")
KEY = (RUN, MODEL, RULES)
"""The first columns of most tables."""

CATEGORY = text("category", "one of the V4 categories", heading="Category", cell=as_category)
WEB = text("web?", "web searched: simulated, record, replay, live or off; several joined; null if none")

CLUSTERED = "95 % interval, entries clustered (docs/statistics.md)"


def tally(of: str, interval: str = "95 % Wilson interval") -> list[Column]:
    """The columns of one accuracy.

    Args:
        of: the entries, as the end of a noun phrase.
        interval: which interval it has.
    """
    return [
        count("answered", f"entries {of} with a judged response"),
        count("correct", "of these, the valid ones"),
        share("accuracy?", "correct / answered; null if none was judged"),
        share("ci_low?", f"lower limit of its {interval}"),
        share("ci_high?", f"upper limit of its {interval}"),
    ]


def score(name: str, about: str, **look: Any) -> list[Column]:
    """The columns of a score with its limits."""
    return [
        share(f"{name}?", about, **look),
        share(f"{name}_ci_low?", f"lower limit of its {CLUSTERED}"),
        share(f"{name}_ci_high?", f"upper limit of its {CLUSTERED}"),
    ]


def describe_mean(group: Group) -> str:
    """How a group score is computed, as the beginning of a description."""
    weighted = group.mean is Mean.WEIGHTED
    members = ", ".join(f"{one.weight} % {one.name}" if weighted else one.name for one in group.members)
    by_size = ", by judged entries" if group.mean is Mean.BY_SIZE else ""
    return f"{'weighted ' if weighted else ''}mean of {members}{by_size}"


CLUSTERS = count("clusters", "sets of judged entries that share a scenario")
DESIGN_EFFECT = share(
    "design_effect?", "variance over that of independent entries; null if it cannot be measured"
)


def counts(
    group: str = "", place: int = 0, missing: bool = False, /, **columns: str | tuple[str, str]
) -> list[Column]:
    """Columns of counts by name, with what each counts; before that a heading, if people see it.

    group, place: as of `Column`. missing: whether values may be.
    """
    texts = {name: ("", about) if isinstance(about, str) else about for name, about in columns.items()}
    return [
        count(f"{name}?" if missing else name, about, heading=heading, group=group, place=place)
        for name, (heading, about) in texts.items()
    ]
