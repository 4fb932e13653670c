"""Which entries of a run that was derived again have no answer, and whether that was derived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
    from bfcl_pipeline.tables import read_table

    statuses: Counter[str] = Counter()
    for part in ("responses", "memory"):
        for path in sorted((folder / part).rglob("*.parquet")):
            statuses.update(map(str, read_table(path, ["status"]).column("status").to_pylist()))
    del statuses[Status.ANSWERED]
    return Unanswered(statuses)
