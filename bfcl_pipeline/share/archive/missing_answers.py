"""Entries of a replayed run that have no answer, and whether that could be derived."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_table


@dataclass(frozen=True, slots=True)
class MissingAnswers:
    """Entries without an answer, memory sessions included, by their status."""

    statuses: Counter[str]

    @property
    def copied(self) -> int:
        """Entries whose failure was copied from the run, as no journal records failed requests."""
        return self.statuses.total() - self.not_recorded

    @property
    def not_recorded(self) -> int:
        """Entries for which the journals or the web cache lack an answer or a page."""
        return self.statuses[Status.NOT_RECORDED]

    def lines(self) -> Iterator[str]:
        """The counts for a person, one line each; no line if nothing is missing."""
        if self.copied:
            counts = ", ".join(
                f"{count:,} {status}"
                for status, count in sorted(self.statuses.items())
                if status != Status.NOT_RECORDED
            )
            yield (
                f"Copied from the run, not derived: the reason why {self.copied:,} entries and memory "
                f"sessions have no answer ({counts})."
            )
        if self.not_recorded:
            yield (
                f"Not recorded: an answer or a page that {self.not_recorded:,} entries and memory sessions "
                "need."
            )


def missing_answers(folder: Path) -> MissingAnswers:
    """Counts the entries without an answer in the tables of results/<run>. Raises TableError."""
    return MissingAnswers(Counter(_failures(folder).values()))


def answered_since(recorded: Path, derived: Path) -> int:
    """How many entries without an answer in the recorded run have one in the derived run.

    0 if a table of the recorded run cannot be read. Raises TableError for the derived tables.
    """
    try:
        before = _failures(recorded)
    except TableError:
        return 0
    derived_tables = {path.relative_to(derived) for path in _tables(derived)}
    after = _failures(derived)
    return sum(entry[0] in derived_tables and entry not in after for entry in before)


def _failures(folder: Path) -> dict[tuple[Path, str], str]:
    """The statuses of entries without an answer, by table and entry id."""
    failures: dict[tuple[Path, str], str] = {}
    for path in _tables(folder):
        table = read_table(path, ["entry_id", "status"])
        columns = (map(str, table.column(name).to_pylist()) for name in ("entry_id", "status"))
        for entry_id, status in zip(*columns, strict=True):
            if status != Status.ANSWERED:
                failures[path.relative_to(folder), entry_id] = status
    return failures


def _tables(folder: Path) -> list[Path]:
    return [path for part in ("responses", "memory") for path in sorted((folder / part).rglob("*.parquet"))]
