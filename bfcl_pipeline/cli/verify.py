"""`bfcl-pipeline verify`: check the archive of a run, derive its results again, say what is proved."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_cores, add_data
from bfcl_pipeline.errors import ArchiveError, PipelineError

if TYPE_CHECKING:
    from bfcl_pipeline.archive.described import Described
    from bfcl_pipeline.archive.reading import SealedArchive
    from bfcl_pipeline.archive.recorded_run import RecordedRun

DIFFERS = 1
"""Exit status: what was derived again is not what the archive holds."""

SHOWN = 10
"""Differences that are told, at most: one for each file, first those that others follow from."""

SAME_ROWS = "the same rows in other bytes"
"""How a difference begins that another version of pyarrow makes."""

NOT_ALL_PROVED = 3
"""Exit status: nothing is wrong, and not everything could be derived again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Check the archive of a run, derive its results again offline, and compare. Exit status: 0, all of "
        "it was derived and is identical; 1, refused, or something differs; 3, not all could be derived."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="written by `bfcl-pipeline archive`")
    add_data(parser)
    add_cores(parser)


def run(options: argparse.Namespace) -> int:
    """Prints a line for each thing that was proved, and for each that was not."""
    from bfcl_pipeline.archive.checking import check_hashes
    from bfcl_pipeline.archive.described import read_described
    from bfcl_pipeline.archive.reading import SealedArchive

    with SealedArchive(options.file) as archive:
        print(f"{options.file}: {archive.seal.size:,} bytes, sha256 {archive.seal.sha256}")
        _proved("seal", "no byte was changed since it was written")
        described = read_described(archive)
        unpacked = sum(member.size for member in archive.members.values())
        _proved("structure", f"{len(archive.members):,} plain files, {unpacked / 1e6:,.1f} MB, all listed")
        hashed = check_hashes(archive, described)
        _proved("hashes", f"{hashed:,} of {hashed:,} files have the sha256 that the metadata says")
        with tempfile.TemporaryDirectory(prefix="bfcl-verify-") as folder:
            try:
                return _derive(archive, described, Path(folder), options)
            except PipelineError as error:  # where it was unpacked is gone by the time that it is read
                raise ArchiveError(f"{options.file}: {str(error).replace(f'{folder}/', '')}") from error


def _derive(archive: SealedArchive, described: Described, folder: Path, options: argparse.Namespace) -> int:
    """Derives the run again in `folder`, as far as that is possible here. Returns the exit status."""
    from bfcl_pipeline.archive.checking import check_run, missing_data, unlike, unpack
    from bfcl_pipeline.archive.software import find_checkout

    checkout = find_checkout()
    unpack(archive, folder)
    recorded = check_run(folder, described, checkout)
    changed = ", its code changed since" if described.changed else ""
    _line("", "run", f"{described.run}, ended {described.ended}, commit {described.commit}{changed}")
    _check_web(folder / "cache/web")
    others = list(unlike(described, checkout))
    for other in others:
        _line("differs", "software", other)
    if not others:
        _line(
            "same", "software", ", ".join(f"{name} {of}" for name, of in sorted(described.versions.items()))
        )
    lacking = missing_data(described, recorded, options.data)
    if lacking is not None:
        _not_proved("results", f"only their hashes were checked: {lacking}")
        _always()
        return NOT_ALL_PROVED
    _line("same", "release", "{} {}".format(*described.release))
    return _compare(recorded, folder, others, options)


def _compare(recorded: RecordedRun, folder: Path, others: list[str], options: argparse.Namespace) -> int:
    from bfcl_pipeline.archive.compare import compared_files, differences
    from bfcl_pipeline.archive.rederive import rederive
    from bfcl_pipeline.archive.unanswered import unanswered

    (folder / "cache").mkdir(exist_ok=True)
    derived = rederive(
        recorded.folder,
        data=options.data,
        cache=folder / "cache",
        work=folder / "again",
        cores=options.cores,
    )
    found = list(differences(recorded.folder, derived))
    # Another pyarrow writes other bytes for the same rows: its version stands in each table.
    version = any(other.startswith("pyarrow ") for other in others)
    rewritten = [one for one in found if version and one.what.startswith(SAME_ROWS)]
    changed = [one for one in found if one not in rewritten]
    if changed:
        for one in changed[:SHOWN]:
            _line("DIFFERS", "results", str(one))
        if len(changed) > SHOWN:
            _line("DIFFERS", "results", f"and {len(changed) - SHOWN:,} more")
        if others:
            _line("", "", "The software here is another, which may be why: verify with the archive's.")
        return DIFFERS
    files = len(compared_files(derived))
    _proved(
        "results", f"{files - len(rewritten):,} of {files:,} files were derived again and are identical"
    )
    if rewritten:
        _proved("results", f"{len(rewritten):,} tables have the same rows in the bytes of another pyarrow")
    taken = unanswered(derived).taken_over
    if taken:
        why = "without an answer, and why is the run's own word"
        _not_proved("failures", f"{taken:,} entries or memory sessions are {why}")
    _always()
    return NOT_ALL_PROVED if taken else 0


def _check_web(record: Path) -> None:
    """Checks each outcome of the web and its evidence. Raises ArchiveError for a damaged one."""
    from bfcl_pipeline.web.record import Record
    from bfcl_pipeline.web.status import survey

    if not record.is_dir():
        return
    found = survey(Record(record))
    if found.damaged:
        raise ArchiveError(f"refused: {found.damaged[0]}")
    _proved("web", f"{found.outcomes.total():,} searches and pages are as they were recorded")


def _always() -> None:
    """What no file can prove."""
    _not_proved("logs", "logs, times and Snakemake's records cannot be derived: they are as archived")
    _not_proved("answers", "that models gave these answers, when, and at what cost, no file can prove")


def _proved(subject: str, what: str) -> None:
    _line("proved", subject, what)


def _not_proved(subject: str, what: str) -> None:
    _line("not proved", subject, what)


def _line(outcome: str, subject: str, what: str) -> None:
    print(f"{outcome:<10}  {subject:<9}  {what}", flush=True)
