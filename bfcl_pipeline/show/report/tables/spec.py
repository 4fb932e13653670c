"""What one table under `results/<run>/tables` is: its name, what a row is, its columns, how rows are made.

Every table is written as Parquet and as CSV with the same columns and row order. Accuracies and interval
limits are between 0 and 1; a null is an empty CSV field. The descriptions of columns are part of the
Parquet files: with other words, an archive made before could not be verified byte for byte. `all_tables`
lists the tables; docs/tables.md is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import pyarrow as pa

from bfcl_pipeline.benchmark.definition.leaderboard import Group, Mean
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables.schemas import count as count
from bfcl_pipeline.benchmark.tables.schemas import field as field
from bfcl_pipeline.benchmark.tables.schemas import mark as mark
from bfcl_pipeline.benchmark.tables.schemas import share as share
from bfcl_pipeline.benchmark.tables.schemas import text as text
from bfcl_pipeline.benchmark.tables.text_forms import CSV, PARQUET, write_any_form

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: all that is known of it but how people see it."""

    name: str  # of its files
    about: str  # what one row is, in Markdown
    columns: Sequence[pa.Field[Any]]
    rows: Callable[[RunSources], Iterable[Row]] | None = None  # the column `run` is added
    of_model: Callable[[ModelSources], Iterable[Row]] | None = None  # those of one model, likewise
    always: bool = False  # whether every run has it; others only if there are rows

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types and descriptions."""
        return pa.schema(self.columns)

    def write(self, folder: Path, table: pa.Table) -> None:
        """Writes it as Parquet and CSV; without rows it removes both, unless every run has this table.

        What an earlier configuration left must not be shown as part of this one.
        """
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

CATEGORY = text("category", "one of the V4 categories")
WEB = text("web?", "web searched: simulated, record, replay, live or off; several joined; null if none")


CLUSTERED = "95 % interval, entries clustered (docs/statistics.md)"


def tally(of: str, interval: str = "95 % Wilson interval") -> list[pa.Field[Any]]:
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


def score(name: str, about: str) -> list[pa.Field[Any]]:
    """The columns of a score with its limits."""
    return [
        share(f"{name}?", about),
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


def counts(**columns: str) -> list[pa.Field[Any]]:
    """Columns of counts by name, with what each counts."""
    return [count(name, about) for name, about in columns.items()]
