"""Merges a record of somebody else into a web cache: everything is checked, then planned, then written.

Covers outcomes and cassettes that are in folders; `archived.web_record` unpacks archives. An outcome is
refused if it or its cassette is damaged, or if the cassette contradicts it. Where both records have a key
with different outcomes, a rule decides; by default ours stays, because finished runs replay from it.
"""

import functools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.leases import Lease
from bfcl_pipeline.base.text import cut, line_of
from bfcl_pipeline.base.workers import results_of
from bfcl_pipeline.world.web.cache import RecordedOutcome, WebCache
from bfcl_pipeline.world.web.check import ReaderChanged, contradiction
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer
from bfcl_pipeline.world.web.record_files import (
    OutcomeFile,
    ReadOutcome,
    add_cassette,
    add_outcome,
    check_cassette_name,
    list_record,
    read_outcome,
    replace_outcome,
)

LOCK = "import.lock"
"""The lock file in a web cache: one import at a time."""

_LONGEST_KEY = 200  # characters of a key in a finding
_FEW = 100  # outcomes that one process checks sooner than others have started
_WRITERS = 8  # threads that write

Prove: TypeAlias = Callable[[RecordedOutcome, bytes | None], str | None]
"""What `check.contradiction` is: what a cassette does not prove, or None."""

Scan: TypeAlias = Callable[[str, bytes], Iterable[str]]
"""Lines on the secrets in a file, given its name and content."""

Progress: TypeAlias = Callable[[int, int], None]
"""Receives how many of how many files are done."""


class Conflicts(StrEnum):
    """Which outcome stays if both records have a key with different outcomes."""

    KEEP = "keep"  # ours
    NEWER = "newer"  # that recorded later; at equal times ours
    OLDER = "older"  # that recorded earlier; at equal times ours

    def takes_theirs(self, ours: OutcomeFile, theirs: OutcomeFile) -> bool:
        """Whether theirs replaces ours."""
        match self:
            case Conflicts.KEEP:
                return False
            case Conflicts.NEWER:
                return theirs.recorded_at > ours.recorded_at
            case Conflicts.OLDER:
                return theirs.recorded_at < ours.recorded_at


@dataclass(frozen=True, slots=True)
class Pair:
    """One key in both records."""

    ours: OutcomeFile
    theirs: OutcomeFile


@dataclass(slots=True)
class ImportPlan:
    """What an import writes, and what a person must know before."""

    others: int = 0  # files of the record with other names, which are not read
    new: list[OutcomeFile] = field(default_factory=list)  # outcomes that ours lacks
    same: int = 0  # equal outcomes, which stay as they are
    completed: list[OutcomeFile] = field(default_factory=list)  # of these, whose cassette ours lacks
    renewed: list[Pair] = field(default_factory=list)  # equal outcomes; theirs has the time that wins
    kept: list[Pair] = field(default_factory=list)  # conflicts in which ours stays
    replaced: list[Pair] = field(default_factory=list)  # conflicts in which theirs wins
    refused: list[str] = field(default_factory=list)  # damaged or contradicting files, one line each
    missing: list[str] = field(default_factory=list)  # outcomes whose cassette the record lacks
    undecided: list[str] = field(default_factory=list)  # the cassette was read by another version
    secrets: list[str] = field(default_factory=list)  # texts that look like secrets

    @property
    def writes(self) -> int:
        """How many outcomes are written."""
        return len(self.new) + len(self.completed) + len(self.renewed) + len(self.replaced)


@dataclass(frozen=True, slots=True)
class ImportDone:
    """What an import wrote."""

    added: int = 0
    replaced: int = 0
    meanwhile: int = 0  # new ones whose key a run recorded in the meantime: its outcome stays


def import_record(
    theirs: Path,
    ours: WebCache,
    conflicts: Conflicts,
    *,
    scan: Scan,
    partial: bool = False,
    dry_run: bool = False,
    prove: Prove = contradiction,
    processes: int = 1,
    progress: Progress | None = None,
    writing: Progress | None = None,
) -> tuple[ImportPlan, ImportDone | None]:
    """Merges the web cache at the folder `theirs` into `ours`.

    Args:
        theirs: the record of somebody else.
        ours: the web cache that receives it.
        conflicts: the rule where the outcomes of a key differ.
        scan: finds secrets in a file.
        partial: import the other outcomes although some are refused.
        dry_run: write nothing.
        prove: `check.contradiction`.
        processes: the most processes that check.
        progress: called while files are checked.
        writing: called while they are written.

    Returns:
        The plan, and what was written; None if nothing was, for a dry run or because of refused files.

    Raises:
        LeaseError: another import into `ours` is running.
        WebError: a file changed while it was imported.
        OSError: a file cannot be read or written.
    """
    plan = functools.partial(
        plan_import, theirs, ours, conflicts, scan, prove, processes=processes, progress=progress
    )
    if dry_run:
        return plan(), None
    ours.folder.mkdir(parents=True, exist_ok=True)
    lease = Lease(ours.folder / LOCK, "imports into this web cache")
    try:
        planned = plan()
        if planned.refused and not partial:
            return planned, None
        return planned, carry_out(planned, ours, writing)
    finally:
        lease.release()


def plan_import(
    theirs: Path,
    ours: WebCache,
    conflicts: Conflicts,
    scan: Scan,
    prove: Prove = contradiction,
    *,
    processes: int = 1,
    progress: Progress | None = None,
) -> ImportPlan:
    """Reads and checks every file of the record at `theirs`; writes nothing."""
    files = list_record(theirs)
    plan = ImportPlan(files.others, refused=files.refused)
    check = functools.partial(_check, WebCache(theirs), scan, prove)
    with results_of(check, files.outcomes, processes, few=_FEW) as results:
        for done, checked in enumerate(results, start=1):
            plan.secrets += checked.secrets
            plan.missing += checked.missing
            plan.undecided += checked.undecided
            plan.refused += checked.refused
            if checked.file is not None:
                try:
                    _plan(plan, checked.file, ours, conflicts)
                except WebError as error:
                    plan.refused.append(line_of(str(error)))
            if progress is not None:
                progress(done, len(files.outcomes))
    return plan


@dataclass(slots=True)
class _Checked:
    """What was found in one outcome of the record and in its cassette."""

    file: OutcomeFile | None = None  # None if it is refused
    refused: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)


def _check(record: WebCache, scan: Scan, prove: Prove, path: Path) -> _Checked:
    checked = _Checked()
    try:
        read = read_outcome(record, path)
        if read is None:
            raise WebError(f"{path}: existed a moment ago and is missing now. Leave the record alone.")
        _check_cassette(checked, read, prove)
    except WebError as error:
        checked.refused.append(line_of(str(error)))
        return checked
    checked.file = read.file
    checked.secrets += scan(path.name, read.content)
    if read.file.cassette is not None and read.cassette is not None:
        checked.secrets += scan(read.file.cassette.name, read.cassette)
    return checked


def _check_cassette(checked: _Checked, read: ReadOutcome, prove: Prove) -> None:
    """Raises WebError if the cassette contradicts the outcome."""
    about = f"{read.file.path}: {cut(str(read.file.key), _LONGEST_KEY)}"
    if read.file.lacks_cassette:
        checked.missing.append(line_of(f"{about}: {read.recorded.cassette}"))
        return
    try:
        why = prove(read.recorded, read.cassette)
    except ReaderChanged as error:
        _check_form(about, read.cassette)
        checked.undecided.append(line_of(f"{about}: {error}"))
    else:
        if why is not None:
            raise WebError(f"{about}: {why}")


def _check_form(about: str, cassette: bytes | None) -> None:
    """Raises WebError if a cassette that decides nothing is not even a cassette."""
    try:
        if cassette is not None:
            CassettePlayer(cassette)
    except ValueError as error:
        raise WebError(f"{about}: its cassette cannot be read: {error}") from error


def _plan(plan: ImportPlan, theirs: OutcomeFile, ours: WebCache, conflicts: Conflicts) -> None:
    """Raises WebError if our outcome is damaged, or has a cassette of the same name and other content."""
    path = ours.path(theirs.key)
    there = read_outcome(ours, path)
    if theirs.cassette is not None:
        check_cassette_name(path.with_name(theirs.cassette.name), theirs)
    if there is None:
        plan.new.append(theirs)
        return
    pair = Pair(there.file, theirs)
    takes_theirs = conflicts.takes_theirs(there.file, theirs)
    if theirs.outcome_sha256 != there.file.outcome_sha256:
        (plan.replaced if takes_theirs else plan.kept).append(pair)
    elif takes_theirs and not theirs.lacks_cassette:
        plan.renewed.append(pair)
    elif there.file.lacks_cassette and there.file.sha256 == theirs.sha256 and theirs.cassette is not None:
        plan.completed.append(theirs)
    else:
        plan.same += 1


def carry_out(plan: ImportPlan, ours: WebCache, progress: Progress | None = None) -> ImportDone:
    """Writes what is planned. Raises WebError, OSError."""
    progress = progress or _unseen
    done = added = 0
    with ThreadPoolExecutor(_WRITERS) as writers:  # most of the time of a writer is that of the disk
        for is_added in writers.map(functools.partial(add_outcome, ours), plan.new):
            added += is_added
            progress(done := done + 1, plan.writes)
        for _ in writers.map(functools.partial(add_cassette, ours), plan.completed):
            progress(done := done + 1, plan.writes)
        for _ in writers.map(functools.partial(_replace, ours), (*plan.renewed, *plan.replaced)):
            progress(done := done + 1, plan.writes)
    return ImportDone(added, len(plan.replaced), len(plan.new) - added)


def _replace(ours: WebCache, pair: Pair) -> None:
    replace_outcome(ours, pair.theirs, pair.ours)


def _unseen(done: int, count: int) -> None:
    """Shows no progress."""
