"""Verifying an archive: its integrity is checked, then its results are derived again and compared."""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path

from bfcl_pipeline.archive.compare import DifferenceKind, compared_files, differences
from bfcl_pipeline.archive.crate_metadata import CrateMetadata, read_metadata
from bfcl_pipeline.archive.members import file_sha256
from bfcl_pipeline.archive.missing_answers import missing_answers
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.recorded_run import RecordedRun, read_run
from bfcl_pipeline.archive.replay import check_staged, derive, given_line, stage_command
from bfcl_pipeline.archive.run_files import result_files
from bfcl_pipeline.archive.software import Checkout, find_checkout, versions
from bfcl_pipeline.archive.table_size import check_table_size
from bfcl_pipeline.archive.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.archive.vectors import NAME as VECTORS
from bfcl_pipeline.archive.web_files import checked_web
from bfcl_pipeline.errors import ArchiveError, PipelineError, StagingError
from bfcl_pipeline.text import Log, printable

SHOWN = 10
"""The most differences that are reported: one for each file, causes first."""

_UNPACKED = ("results/", "cache/")
"""The members that the replay needs; no others are unpacked."""


class Verification(IntEnum):
    """The result of a verification; the number is the exit status of the command."""

    COMPLETE = 0  # everything that can be derived was, and is identical
    DIFFERS = 1
    INCOMPLETE = 3  # no error, but not everything could be derived


def verify(file: Path, *, data: Path, cores: int, log: Log, step_log: Log) -> Verification:
    """Verifies the archive `file`.

    Args:
        file: the archive.
        data: the staged data.
        cores: processor cores for the replay.
        log: receives a line for each thing that was, or could not be, verified.
        step_log: receives a line for each step of the replay.

    Raises:
        ArchiveError: the archive is damaged or malformed, or a step of the replay failed.
    """
    log, step_log = _printing(log), _printing(step_log)
    with SealedArchive(file) as archive:
        log(f"{file}: {archive.seal.size:,} bytes, sha256 {archive.seal.sha256}")
        _verified(log, "seal", "no byte was changed since the archive was written")
        metadata = read_metadata(archive)
        unpacked = sum(member.size for member in archive.members.values())
        count = len(archive.members)
        _verified(log, "structure", f"{count:,} plain files, {unpacked / 1e6:,.1f} MB, all listed")
        hashed = _check_hashes(archive, metadata)
        _verified(log, "hashes", f"{hashed:,} of {hashed:,} files have the sha256 of the metadata")
        with tempfile.TemporaryDirectory(prefix="bfcl-verify-") as folder:
            try:
                _unpack(archive, Path(folder))
                return _verify_run(metadata, Path(folder), data, cores, log, step_log)
            except PipelineError as error:  # the temporary directory no longer exists when it is read
                what = str(error).replace(f"{folder}/", "")
                raise ArchiveError(f"{file}: {printable(what)}") from error


def _printing(log: Log) -> Log:
    """`log` with control characters escaped: an archive must not write to a terminal as it likes."""
    return lambda line: log(printable(line))


def _verify_run(
    metadata: CrateMetadata, folder: Path, data: Path, cores: int, log: Log, step_log: Log
) -> Verification:
    """Verifies the run that was unpacked in `folder`, as far as the staged data allow."""
    checkout = find_checkout()
    recorded = _check_run(folder, metadata, checkout)
    changed = " with local changes" if metadata.changed else ""
    _line(log, "", "run", f"{metadata.run}, ended {metadata.ended}, commit {metadata.commit}{changed}")
    consistent = _check_web(folder / "cache/web", cores, log, step_log)
    software = list(_software_differences(metadata, checkout))
    for difference in software:
        _line(log, "differs", "software", difference)
    if not software:
        names = ", ".join(f"{name} {version}" for name, version in sorted(metadata.versions.items()))
        _line(log, "same", "software", names)
    try:
        _check_data(metadata, recorded, data)
    except StagingError as error:
        _not_verified(log, "results", f"only their hashes were checked: {error}")
        _never_verified(log)
        return Verification.INCOMPLETE if consistent else Verification.DIFFERS
    _line(log, "same", "release", " ".join(metadata.release))
    (folder / "cache").mkdir(exist_ok=True)
    derived = derive(
        recorded, data=data, cache=folder / "cache", work=folder / "again", cores=cores, log=step_log
    )
    pyarrow = versions()["pyarrow"]
    other_pyarrow = metadata.versions.get("pyarrow", pyarrow) != pyarrow
    results = _compare(recorded, derived, software, metadata.commit, other_pyarrow, log)
    return results if consistent else Verification.DIFFERS


def _compare(
    recorded: RecordedRun,
    derived: Path,
    software: Sequence[str],
    commit: str,
    other_pyarrow: bool,
    log: Log,
) -> Verification:
    changed = list(differences(recorded.folder, derived))
    reencoded = []
    if other_pyarrow:
        # Each Parquet file contains the version of pyarrow, so another version writes other bytes.
        reencoded = [one for one in changed if one.kind is DifferenceKind.TABLE_BYTES]
        changed = [one for one in changed if one.kind is not DifferenceKind.TABLE_BYTES]
    if changed:
        _differing(log, "results", list(map(str, changed)), "files")
        same = len(set(compared_files(derived)) & set(compared_files(recorded.folder))) - sum(
            one.kind in (DifferenceKind.CONTENT, DifferenceKind.TABLE_BYTES)
            for one in (*changed, *reencoded)
        )
        _line(log, "same", "results", f"{same:,} other files were derived again and are identical")
        if software:
            reason = "The software differs, which may be the reason: verify with the archive's"
            _line(log, "", "", f"{reason}, commit {commit}.")
        return Verification.DIFFERS
    files = len(compared_files(derived))
    same = files - len(reencoded)
    _verified(log, "results", f"{same:,} of {files:,} files were derived again and are identical")
    if reencoded:
        what = f"{len(reencoded):,} tables have the same rows, in the bytes of another pyarrow version"
        _verified(log, "results", what)
    given = recorded.given()
    if given:
        _not_verified(log, "answers", given_line(given))
    failures = missing_answers(derived).copied
    if failures:
        what = "have no answer; the reason comes from the archive and cannot be derived again"
        _not_verified(log, "failures", f"{failures:,} entries or memory sessions {what}")
    _never_verified(log)
    return Verification.INCOMPLETE if failures or given else Verification.COMPLETE


def _check_hashes(archive: SealedArchive, metadata: CrateMetadata) -> int:
    """Raises ArchiveError if the sha256 of a member differs from the metadata. Returns their number."""
    for name, expected in metadata.sha256.items():
        digest = hashlib.sha256()
        for chunk in archive.chunks(name):
            digest.update(chunk)
        if digest.hexdigest() != expected:
            raise ArchiveError(
                f"{archive.path}, member {name!r}: refused: expected sha256 {expected}, got "
                f"{digest.hexdigest()}. Nothing was unpacked."
            )
    return len(metadata.sha256)


def _unpack(archive: SealedArchive, folder: Path) -> None:
    """Writes results, journals, web cache and vectors below the empty `folder`.

    The names of members were checked when the archive was opened.
    """
    for name in archive.members:
        if name == VECTORS:
            if archive.members[name].size > MAX_BYTES:
                raise ArchiveError(f"{name}: refused: more than {MAX_BYTES:,} bytes.")
            unpack_vectors(b"".join(archive.chunks(name)), folder / "cache/encoder")
        elif name.startswith(_UNPACKED):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.writelines(archive.chunks(name))


def _check_run(folder: Path, metadata: CrateMetadata, checkout: Checkout) -> RecordedRun:
    """The run that was unpacked in `folder`.

    Raises ArchiveError, ConfigError or TableError if its config or models are invalid, contradict the
    metadata or name a local path, or if a result file is missing, malformed or too large.
    """
    recorded = read_run(folder / "results" / metadata.run, checkout.schema, metadata.run)
    config_file, release = recorded.folder / "config.yaml", recorded.run.release
    named = (release.source, recorded.config["encoder"]["source"], recorded.config["models_file"])
    if any(path is not None for path in named):
        raise ArchiveError(
            f"{config_file}: refused: it names a local path as the source of data or models."
        )
    if (release.version, release.sha256) != metadata.release:
        raise ArchiveError(
            f"{config_file}: refused: the release is {release.version} {release.sha256}, but the metadata "
            f"names {' '.join(metadata.release)}."
        )
    for path in result_files(recorded):
        if path.suffix == ".parquet":
            check_table_size(path)
    return recorded


def _software_differences(metadata: CrateMetadata, checkout: Checkout) -> Iterator[str]:
    """What differs between the software of the archive and that of this machine, one line each."""
    installed = versions()
    for name, version in sorted(metadata.versions.items()):
        if installed.get(name) != version:
            yield f"{name} {version} in the archive, {installed.get(name, 'none')} here"
    lock = checkout.lock_file
    if lock.name in metadata.sha256 and not _has_sha256(lock, metadata.sha256[lock.name]):
        yield f"{lock.name} is not the same"
    for name, sha256 in sorted(metadata.sha256.items()):
        is_workflow = name == "Snakefile" or name.startswith("workflow/")
        if is_workflow and not _has_sha256(checkout.folder / name, sha256):
            yield f"{name} is not the same"
            return


def _check_data(metadata: CrateMetadata, recorded: RecordedRun, data: Path) -> None:
    """Raises StagingError if the run cannot be replayed with the staged `data`."""
    check_staged(recorded, data)
    version, sha256 = metadata.release
    wheels = (data / "release").glob(f"*-{version}-*.whl")
    if any(file_sha256(wheel) == sha256 for wheel in wheels):
        return
    staged = metadata.staged.items()
    if not staged or not all(_has_sha256(data / name, expected) for name, expected in staged):
        raise StagingError(
            f"{data}: another release than {version} is staged, or its files differ. Run "
            f"`{stage_command(recorded, data)}` first."
        )


def _has_sha256(path: Path, sha256: str) -> bool:
    return path.is_file() and file_sha256(path) == sha256


def _check_web(record: Path, cores: int, log: Log, step_log: Log) -> bool:
    """Plays the cassettes of the web cache. Returns whether none contradicts its outcome.

    Raises ArchiveError for a damaged file.
    """
    if not record.is_dir():
        return True
    check = checked_web(record, None, cores, step_log)
    folder = f"{record.parent.parent}/"  # temporary: lines name the members
    if check.damaged:
        raise ArchiveError(f"refused: {check.damaged[0]}")
    what = "searches, pages and answers of web APIs"
    _verified(log, "web", f"{check.outcomes:,} {what} are as they were recorded")
    _verified(
        log, "web", f"{check.proven + check.unsent:,} of them follow from the HTTP in their cassettes"
    )
    for lines, why in (
        (check.missing, "have no cassette"),
        (check.undecided, "were recorded by another version of the reader"),
    ):
        if lines:
            first = lines[0].replace(folder, "")
            _not_verified(log, "web", f"{len(lines):,} of them {why}, the first: {first}")
    contradictions = [line.replace(folder, "") for line in check.contradictions]
    _differing(log, "web", contradictions, "outcomes that contradict their cassettes")
    return not check.contradictions


def _differing(log: Log, subject: str, lines: Sequence[str], what: str) -> None:
    """Reports the first of some differences. what: their noun."""
    for line in lines[:SHOWN]:
        _line(log, "DIFFERS", subject, line)
    if len(lines) > SHOWN:
        _line(log, "DIFFERS", subject, f"and {len(lines) - SHOWN:,} more {what}")


def _never_verified(log: Log) -> None:
    """Reports what an archive cannot prove in any case."""
    _not_verified(log, "logs", "logs, times and Snakemake's records cannot be derived again")
    _not_verified(
        log, "answers", "whether the models gave these answers, when, and at what cost, cannot be verified"
    )


def _verified(log: Log, subject: str, what: str) -> None:
    _line(log, "verified", subject, what)


def _not_verified(log: Log, subject: str, what: str) -> None:
    _line(log, "not verified", subject, what)


def _line(log: Log, outcome: str, subject: str, what: str) -> None:
    log(f"{outcome:<12}  {subject:<9}  {what}")
