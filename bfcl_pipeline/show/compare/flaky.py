"""The entries of a run that are known to be flaky: their verdict differs among trials of a model.

Read from the tables of the run; a run without trials, or without tables, knows none.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.show.compare.sides import Side

Entries: TypeAlias = frozenset[tuple[str, str]]
"""Categories and ids of entries."""


def known_flaky(sides: Sequence[Side], rules: Rules) -> Entries | None:
    """The flaky entries of any of the sides; None if none of them has several trials.

    Raises TableError if a table of trials cannot be read.
    """
    found = [_of_side(side, rules) for side in sides]
    known = [entries for entries in found if entries is not None]
    return frozenset().union(*known) if known else None


def _of_side(side: Side, rules: Rules) -> Entries | None:
    if not _rows(side.run.table("trials"), side, rules, ()):
        return None
    flaky = _rows(side.run.table("flaky"), side, rules, ("category", "entry_id"))
    return frozenset((row["category"], row["entry_id"]) for row in flaky)


def _rows(path: Path, side: Side, rules: Rules, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a table on the trials of the model of a side; none without the table."""
    if not path.is_file():
        return []
    key = (rules.value, trial_of(side.model).model)
    rows = read_table(path, ("rules", "model", *columns)).to_pylist()
    return [row for row in rows if (row["rules"], row["model"]) == key]
