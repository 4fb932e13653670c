"""The answers of one side with a call that was not read, for the limit of a gate."""

from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.show.compare.sides import Side

_COLUMNS = ("model", "entry_id", "rules", "valid", "unread_call")


@dataclass(frozen=True, slots=True)
class UnreadCalls:
    """How many answers of a side, in any category, have a call in the text that was not read."""

    model: str  # label of the side
    answers: int  # with a verdict
    unread: int  # of these
    example: str | None  # entry of the first of these; None if there is none

    @property
    def share(self) -> float:
        """Unread calls per answer; 0 without answers."""
        return self.unread / self.answers if self.answers else 0.0


def unread_calls(side: Side, rules: Rules) -> UnreadCalls:
    """Counts them; all trials of a side together.

    Raises TableError if a table of verdicts cannot be read.
    """
    unread: list[tuple[str, bool]] = []
    for path in sorted((side.run.folder / "verdicts").glob("*.parquet")):
        unread += _answers(path, side, rules)
    found = [entry_id for entry_id, is_unread in unread if is_unread]
    return UnreadCalls(side.label, len(unread), len(found), found[0] if found else None)


def _answers(path: Path, side: Side, rules: Rules) -> list[tuple[str, bool]]:
    """The entries of `side` that have a verdict in a table, and whether a call was not read."""
    table = with_types(path, read_table(path, _COLUMNS), VERDICTS)
    rows = zip(*(table.column(name).to_pylist() for name in _COLUMNS), strict=True)
    return [
        (entry_id, bool(unread))
        for model, entry_id, of_rules, valid, unread in rows
        if of_rules == rules.value and valid is not None and _is_of(model or path.stem, side)
    ]


def _is_of(model: str, side: Side) -> bool:
    return (trial_of(model).model if side.trials > 1 else model) == side.model
