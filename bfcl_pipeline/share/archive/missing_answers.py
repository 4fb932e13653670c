"""Entries of a replayed run that have no answer, and whether that could be derived."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_table


def missing_answers(folder: Path) -> Counter[str]:
    """The entries without an answer in results/<run>, memory sessions included, by status.

    Raises TableError.
    """
    return Counter(_failures(folder).values())


def copied_failures(missing: Counter[str]) -> int:
    """How many failures were copied from the run, as no journal records failed requests."""
    return missing.total() - missing[Status.NOT_RECORDED]


def missing_lines(missing: Counter[str]) -> Iterator[str]:
    """The counts for a person, one line each; no line if nothing is missing."""
    if copied := copied_failures(missing):
        others = sorted(
            (status, count) for status, count in missing.items() if status != Status.NOT_RECORDED
        )
        counts = ", ".join(f"{count:,} {status}" for status, count in others)
        yield (
            f"Copied from the run, not derived: the reason why {copied:,} entries and memory sessions have "
            f"no answer ({counts})."
        )
    if not_recorded := missing[Status.NOT_RECORDED]:
        yield f"Not recorded: an answer or a page that {not_recorded:,} entries and memory sessions need."


def answered_since(recorded: Path, derived: Path) -> int:
    """How many entries without an answer in the recorded run have one in the derived run.

    0 if a table of the recorded run cannot be read. Raises TableError for the derived tables.
    """
    try:
        before = _failures(recorded)
    except TableError:
        return 0
    after = _failures(derived)
    return sum((derived / entry[0]).is_file() and entry not in after for entry in before)


def _failures(folder: Path) -> dict[tuple[Path, str], str]:
    """The statuses of entries without an answer, by table and entry id."""
    return {
        (path.relative_to(folder), str(row["entry_id"])): str(row["status"])
        for part in ("responses", "memory")
        for path in sorted((folder / part).rglob("*.parquet"))
        for row in read_table(path, ["entry_id", "status"]).to_pylist()
        if row["status"] != Status.ANSWERED
    }
