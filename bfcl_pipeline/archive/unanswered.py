"""Which entries of a run that was derived again have no answer, and whether that was derived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Status


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Entries without an answer, memory sessions included, by their status."""

    statuses: Counter[str]

    @property
    def taken_over(self) -> int:
        """Those whose failure is the run's own word: nothing is left of it to derive it from."""
        return self.statuses.total() - self.not_recorded

    @property
    def not_recorded(self) -> int:
        """Those for which neither a journal nor the record of the web has what they need."""
        return self.statuses[Status.NOT_RECORDED]

    def lines(self) -> Iterator[str]:
        """What a person should know of them; nothing if there are none."""
        if self.taken_over:
            counted = ", ".join(
                f"{count:,} {status}"
                for status, count in sorted(self.statuses.items())
                if status != Status.NOT_RECORDED
            )
            yield (
                f"Taken over from the run, not derived: why {self.taken_over:,} entries and memory "
                f"sessions have no answer ({counted})."
            )
        if self.not_recorded:
            yield (
                f"Not recorded: an answer or a page that {self.not_recorded:,} entries and memory sessions "
                "need."
            )


def unanswered(folder: Path) -> Unanswered:
    """Counts the entries without an answer in the tables of results/<run>. Raises TableError."""
    return Unanswered(Counter(_failures(folder).values()))


def answered_since(recorded: Path, derived: Path) -> int:
    """How many entries without an answer in a run have one now that it was derived again.

    Tables of the run that cannot be read count as without entries. Raises TableError for others.
    """
    try:
        before = _failures(recorded)
    except TableError:
        return 0
    present = {path.relative_to(derived) for path in _tables(derived)}
    after = _failures(derived)
    return sum(entry[0] in present and entry not in after for entry in before)


def _failures(folder: Path) -> dict[tuple[Path, str], str]:
    """The statuses of entries without an answer, by table and entry id."""
    from bfcl_pipeline.tables import read_table

    found: dict[tuple[Path, str], str] = {}
    for path in _tables(folder):
        table = read_table(path, ["entry_id", "status"])
        columns = (map(str, table.column(name).to_pylist()) for name in ("entry_id", "status"))
        for entry_id, status in zip(*columns, strict=True):
            if status != Status.ANSWERED:
                found[path.relative_to(folder), entry_id] = status
    return found


def _tables(folder: Path) -> list[Path]:
    return [path for part in ("responses", "memory") for path in sorted((folder / part).rglob("*.parquet"))]
