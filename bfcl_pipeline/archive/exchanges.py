"""The exchanges with models that a run rests on: those of its entries and trials, out of whole journals.

A journal is shared by all runs of a model; what other entries were answered is nobody's business here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.generation.journal import JournalReader
from bfcl_pipeline.records import Status
from bfcl_pipeline.tables import read_table


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run asked one model."""

    entries: frozenset[str]  # ids of entries and of sessions before them
    answered: frozenset[str]  # those that were answered


def write_exchanges(recorded: RecordedRun, cache: Path, out: Path) -> list[tuple[str, Path]]:
    """Writes the exchanges of the run below `out`; returns the name in the archive and path of each file.

    `cache` is the folder of exchanges/<model>/. Raises ArchiveError if an answered entry has none,
    JournalError if a journal is damaged.
    """
    written: list[tuple[str, Path]] = []
    for folder in recorded.remote():
        asked = _asked(recorded, folder)
        found: set[str] = set()
        for journal in sorted((cache / "exchanges" / folder).glob("exchanges*.jsonl")):
            name = f"cache/exchanges/{folder}/{journal.name}"
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _lines(journal, asked.entries, recorded.trial(folder), found)
            with path.open("wb") as file:
                file.writelines(lines)
            if path.stat().st_size:
                written.append((name, path))
        missing = sorted(asked.answered - found)
        if missing:
            raise ArchiveError(
                f"{cache / 'exchanges' / folder}: no exchange of {len(missing):,} answered entries, "
                f"the first of them {missing[0]}. Give the cache of the run with --cache."
            )
    return written


def _lines(journal: Path, entries: frozenset[str], trial: int, found: set[str]) -> Iterator[bytes]:
    """The lines of a journal that are of `entries` and `trial`; adds the entries they are of to `found`."""
    with JournalReader(journal) as reader:
        for kept in reader:
            if kept.entry_id in entries and kept.trial == trial:
                found.add(kept.entry_id)
                yield reader.line(kept.key)


def _asked(recorded: RecordedRun, folder: str) -> _Asked:
    entries: set[str] = set()
    answered: set[str] = set()
    tables = [("responses", name) for name in recorded.run.categories_of(folder)]
    tables += [("memory", name) for name in recorded.run.memory_of(folder)]
    for part, category in tables:
        table = read_table(recorded.folder / part / folder / f"{category}.parquet", ["entry_id", "status"])
        for row in table.to_pylist():
            entries.add(row["entry_id"])
            if row["status"] == Status.ANSWERED:
                answered.add(row["entry_id"])
    return _Asked(frozenset(entries), frozenset(answered))
