"""The exchanges of a run with its models: an extract of the journals, and the records of what made them.

All runs of a model share its journals, but those with their own; answers to other entries or in other
trials are excluded. So are answers to an entry that failed in this run and that another run received later:
with them, the run could not be derived again from its archive.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from bfcl_pipeline.runs.provenance import provenance_path, read_provenance
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class ArchivedExchanges:
    """The extract of the journals of all models of a run."""

    files: list[tuple[str, Path]]  # the name in the archive and the path of each
    answered_since: int  # entries and memory sessions with later answers, which are not in the extract


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
        journal_folder = run.journals / folder
        with JournalsReader(journals_in(journal_folder)) as journals:
            chosen = _chosen(run, folder, journals)
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
        keys = _chosen(run, folder, journals).keys
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


def _chosen(run: Run, folder: str, journals: JournalsReader) -> _Chosen:
    """The exchanges of one model in a run: of entries that failed, the ones that their responses have.

    A response has the turn and the latency of each; of several that have both, the first received counts.
    """
    trial, left = run.recorded.job_of(folder).trial, _used(run, folder)
    of_failed: list[JournaledExchange] = []
    keys: set[str] = set()
    missing = {entry_id for entry_id, used in left.items() if used is None}
    for exchange in journals:
        if exchange.trial != trial or exchange.entry_id not in left:
            continue
        if left[exchange.entry_id] is None:
            keys.add(exchange.key)
            missing.discard(exchange.entry_id)
        else:
            of_failed.append(replace(exchange, raw=None))
    since: set[str] = set()
    for exchange in sorted(of_failed, key=lambda exchange: exchange.received_at):
        used, step = left[exchange.entry_id], (exchange.turn, exchange.latency_seconds)
        if used and used[step]:
            used[step] -= 1
            keys.add(exchange.key)
        else:
            since.add(exchange.entry_id)
    lacking = sorted(missing) + sorted(entry_id for entry_id, used in left.items() if used and used.total())
    return _Chosen(frozenset(keys), lacking, frozenset(since))


def _used(run: Run, folder: str) -> dict[str, Counter[tuple[int, float | None]] | None]:
    """The exchanges that each entry without an answer used, as its response has them: turn and latency.

    By entry id, memory sessions included; None for an entry that was answered.
    """
    found: dict[str, Counter[tuple[int, float | None]] | None] = {}
    tables = [run.responses(folder, name) for name in run.recorded.categories_of(folder)]
    tables += [run.sessions(folder, name) for name in run.recorded.memory_of(folder)]
    for path in tables:
        for row in read_table(path, ["entry_id", "status", "steps"]).to_pylist():
            steps = ((step["turn"], step["latency_seconds"]) for step in row["steps"] or ())
            found[row["entry_id"]] = None if row["status"] == Status.ANSWERED else Counter(steps)
    return found
