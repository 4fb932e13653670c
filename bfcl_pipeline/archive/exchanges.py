"""The exchanges of a run with its models: an extract of the journals, and the records of what made them.

All runs of a model share its journals; answers to other entries or in other trials are excluded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.generation.journal import JournaledExchange, JournalReader, JournalsReader, journals_in
from bfcl_pipeline.provenance import provenance_path, read_provenance
from bfcl_pipeline.records import Status
from bfcl_pipeline.tables import read_table


@dataclass(frozen=True, slots=True)
class _EntryIds:
    """The entries of one model in a run."""

    all: frozenset[str]  # ids of entries and of the memory sessions before them
    answered: frozenset[str]  # those with an answer


def write_exchanges(recorded: RecordedRun, cache: Path, out: Path) -> list[tuple[str, Path]]:
    """Writes the exchanges of the run below `out`.

    Args:
        recorded: the run.
        cache: the directory with exchanges/<model>/.
        out: a temporary directory.

    Returns:
        The name in the archive and the path of each file.

    Raises:
        ArchiveError: the journals have no exchange of an answered entry.
        JournalError: a journal is damaged.
        ProvenanceError: a record of what made the answers is damaged.
    """
    written: list[tuple[str, Path]] = []
    for folder in recorded.remote():
        entries = _entry_ids(recorded, folder)
        with_exchange: set[str] = set()
        named: set[str] = set()
        for journal in sorted((cache / "exchanges" / folder).glob("exchanges*.jsonl")):
            name = f"cache/exchanges/{folder}/{journal.name}"
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _lines(journal, entries.all, recorded.trial(folder), with_exchange, named)
            with path.open("wb") as file:
                file.writelines(lines)
            if path.stat().st_size:
                written.append((name, path))
        missing = sorted(entries.answered - with_exchange)
        if missing:
            raise ArchiveError(
                f"{cache / 'exchanges' / folder}: no exchange of {len(missing):,} answered entries, "
                f"the first is {missing[0]}. Name the cache directory of the run with --cache."
            )
        written += _records(cache, folder, named)
    return written


def _records(cache: Path, folder: str, named: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The records that exchanges name and that are there. Raises ProvenanceError if one is damaged."""
    for sha256 in sorted(named):
        path = provenance_path(cache / "exchanges" / folder, sha256)
        if path.is_file():
            read_provenance(path)
            yield provenance_path(Path("cache/exchanges") / folder, sha256).as_posix(), path


def _lines(
    journal: Path, entry_ids: frozenset[str], trial: int, with_exchange: set[str], named: set[str]
) -> Iterator[bytes]:
    """The lines of a journal for `entry_ids` in `trial`.

    Adds the ids that occur to `with_exchange`, and the records that exchanges name to `named`.
    """
    with JournalReader(journal) as reader:
        for exchange in reader:
            if exchange.entry_id in entry_ids and exchange.trial == trial:
                with_exchange.add(exchange.entry_id)
                if exchange.provenance is not None:
                    named.add(exchange.provenance)
                yield reader.line(exchange.key)


def exchanges_of(recorded: RecordedRun, cache: Path, folder: str) -> Iterator[JournaledExchange]:
    """The exchanges of one model of a run, each once, whatever journals of the model have it.

    Args:
        recorded: the run.
        cache: the directory with exchanges/<model>/; in an archive it has no others.
        folder: the directory name of the model.

    Raises:
        JournalError: a journal is damaged.
    """
    entry_ids, trial = _entry_ids(recorded, folder).all, recorded.trial(folder)
    with JournalsReader(journals_in(cache / "exchanges" / folder)) as journals:
        for exchange in journals:
            if exchange.entry_id in entry_ids and exchange.trial == trial:
                yield exchange


def _entry_ids(recorded: RecordedRun, folder: str) -> _EntryIds:
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
    return _EntryIds(frozenset(entries), frozenset(answered))
