"""The exchanges of a run with its models: an extract of the journals, and the records of what made them.

All runs of a model share its journals, but those with their own; answers to other entries or in other
trials are excluded. So are answers to an entry that failed in this run and that another run received later:
with them, the run could not be derived again from its archive.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from bfcl_pipeline.runs.provenance import provenance_path, read_provenance
from bfcl_pipeline.runs.run import Run

_Used: TypeAlias = Counter[tuple[int, float | None]]
"""The exchanges that an entry used, as its response has them: turn and latency in seconds."""


@dataclass(frozen=True, slots=True)
class ArchivedExchanges:
    """The extract of the journals of all models of a run."""

    files: list[tuple[str, Path]]  # the name in the archive and the path of each
    answered_since: int  # entries and memory sessions with later answers, which are not in the extract


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of one model in a run, memory sessions included, by id."""

    answered: frozenset[str]
    failed: Mapping[str, _Used]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The exchanges of one model that belong to a run."""

    keys: frozenset[str]
    missing: list[str]  # entries that lack an exchange, by id
    answered_since: frozenset[str]  # failed entries that have others besides


def write_exchanges(run: Run, out: Path) -> ArchivedExchanges:
    """Writes the exchanges of the run below `out`.

    Args:
        run: the run.
        out: a temporary directory.

    Raises:
        ArchiveError: the journals have no exchange of an answered entry, or lack one of a failed entry.
        JournalError: a journal is damaged.
        ProvenanceError: a record of what made the answers is damaged.
    """
    written: list[tuple[str, Path]] = []
    answered_since = 0
    for folder in run.recorded.remote:
        entries = _entries(run, folder)
        journal_folder = run.journals / folder
        with JournalsReader(journals_in(journal_folder)) as journals:
            chosen = _chosen(journals, entries, run.recorded.job_of(folder).trial)
            if chosen.missing:
                raise ArchiveError(
                    f"{journal_folder}: no exchange of {len(chosen.missing):,} entries that "
                    f"were answered, at least in part, the first is {chosen.missing[0]}. Name the cache "
                    "directory of the run with --cache."
                )
            answered_since += len(chosen.answered_since)
            named: set[str] = set()
            for journal in journals.journals:
                name = f"{run.journals_member}/{folder}/{journal.path.name}"
                path = out / name
                path.parent.mkdir(parents=True, exist_ok=True)
                kept = [(each.key, each.provenance) for each in journal if each.key in chosen.keys]
                named |= {record for _, record in kept}
                with path.open("wb") as file:
                    file.writelines(journal.line(key) for key, _ in kept)
                if kept:
                    written.append((name, path))
        written += _records(run, journal_folder, named)
    return ArchivedExchanges(written, answered_since)


def exchanges_of(run: Run, folder: str) -> Iterator[JournaledExchange]:
    """The exchanges of one model of a run, each once, whatever journals of the model have it.

    Args:
        run: the run.
        folder: the directory name of the model.

    Raises:
        JournalError: a journal is damaged.
    """
    with JournalsReader(journals_in(run.journals / folder)) as journals:
        keys = _chosen(journals, _entries(run, folder), run.recorded.job_of(folder).trial).keys
        for exchange in journals:
            if exchange.key in keys:
                yield exchange


def _records(run: Run, journals: Path, named: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The records that exchanges name and that are there. Raises ProvenanceError if one is damaged."""
    for sha256 in sorted(named):
        path = provenance_path(journals, sha256)
        if path.is_file():
            read_provenance(path)
            member = provenance_path(Path(run.journals_member) / journals.name, sha256)
            yield member.as_posix(), path


def _chosen(journals: JournalsReader, entries: _Entries, trial: int) -> _Chosen:
    """The exchanges of `entries` in `trial`: of those that failed, the ones that their responses have.

    A response has the turn and the latency of each; of several that have both, the first received counts.
    """
    of_failed: list[JournaledExchange] = []
    keys: set[str] = set()
    with_exchange: set[str] = set()
    for exchange in journals:
        if exchange.trial != trial:
            continue
        if exchange.entry_id in entries.answered:
            keys.add(exchange.key)
            with_exchange.add(exchange.entry_id)
        elif exchange.entry_id in entries.failed:
            of_failed.append(replace(exchange, raw=None))
    left = {entry_id: used.copy() for entry_id, used in entries.failed.items()}
    since: set[str] = set()
    for exchange in sorted(of_failed, key=lambda exchange: exchange.received_at):
        step = (exchange.turn, exchange.latency_seconds)
        if left[exchange.entry_id][step]:
            left[exchange.entry_id][step] -= 1
            keys.add(exchange.key)
        else:
            since.add(exchange.entry_id)
    missing = sorted(entries.answered - with_exchange)
    missing += sorted(entry_id for entry_id, used in left.items() if used.total())
    return _Chosen(frozenset(keys), missing, frozenset(since))


def _entries(run: Run, folder: str) -> _Entries:
    answered: set[str] = set()
    failed: dict[str, _Used] = {}
    tables = [run.responses(folder, name) for name in run.recorded.categories_of(folder)]
    tables += [run.sessions(folder, name) for name in run.recorded.memory_of(folder)]
    for path in tables:
        for row in read_table(path, ["entry_id", "status", "steps"]).to_pylist():
            if row["status"] == Status.ANSWERED:
                answered.add(row["entry_id"])
            else:
                failed[row["entry_id"]] = Counter(
                    (step["turn"], step["latency_seconds"]) for step in row["steps"] or ()
                )
    return _Entries(frozenset(answered), failed)
