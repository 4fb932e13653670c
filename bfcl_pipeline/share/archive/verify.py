"""Verifying an archive: its integrity is checked, then its results are derived again and compared."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError, PipelineError, StagingError
from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.base.text import Log, printable
from bfcl_pipeline.judge.web_files import checked_web
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata, read_metadata
from bfcl_pipeline.runs.archived.findings import (
    Findings,
    FurtherCheck,
    Part,
    Verification,
    VerifiedArchive,
    worst,
)
from bfcl_pipeline.runs.archived.members import file_sha256, has_sha256
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun, check_hashes, unpack_whole_run
from bfcl_pipeline.runs.making import log_records
from bfcl_pipeline.runs.provenance import FOLDER, read_provenance
from bfcl_pipeline.runs.provenance.software import LOCK, versions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.attestations import AttestationOptions, check_attestations
from bfcl_pipeline.share.archive.compare import (
    compared_files,
    copied_failures,
    file_differences,
    missing_answers,
)
from bfcl_pipeline.share.archive.replay import check_staged, derive, stage_command, taken_from_run
from bfcl_pipeline.share.archive.statement import predicate_of

_NOT_ANSWERED = "whether the models gave these answers, when, and at what cost, cannot be verified"
_NOT_ASKED = (
    "answers that were not drawn, among them those of later trials; whether the endpoint changed since the "
    "run; when the answers were made, and at what cost"
)


def verify_archive(
    file: Path,
    *,
    data: Path,
    cores: int,
    log: Log,
    step_log: Log,
    further: Sequence[FurtherCheck] = (),
    attestation: AttestationOptions | None = None,
) -> VerifiedArchive:
    """Verifies the archive `file`.

    Args:
        file: the archive.
        data: the staged data.
        cores: processor cores for the replay.
        log: receives a line for each thing that was, or could not be, verified: three parts with headings.
        step_log: receives a line for each step of the replay.
        further: checks to make of a run whose results were derived again and are identical.
        attestation: whose statements count; None: those beside the archive are checked, nobody is trusted.

    Raises:
        ArchiveError: the archive is damaged or malformed, or a step of the replay failed.
        ConfigError: a file that `attestation` names does not exist.
        PipelineError: a further check cannot be made as it was asked for.
    """
    attestation = attestation or AttestationOptions()
    attestation.check()
    findings, step_log = Findings(log), _printing(step_log)
    with SealedArchive(file) as archive:
        _printing(log)(f"{file}: {archive.seal.size:,} bytes, sha256 {archive.seal.sha256}")
        findings.verified("seal", "no byte was changed since the archive was written")
        metadata = read_metadata(archive)
        unpacked = sum(member.size for member in archive.members.values())
        count = len(archive.members)
        findings.verified("structure", f"{count:,} plain files, {unpacked / 1e6:,.1f} MB, all listed")
        hashed = check_hashes(archive, metadata)
        findings.verified("hashes", f"{hashed:,} of {hashed:,} files have the sha256 of the metadata")
        with tempfile.TemporaryDirectory(prefix="bfcl-verify-") as folder:
            try:
                run = unpack_whole_run(archive, Path(folder), data)
                stated, signers = _attested(run, attestation, findings)
                again = Path(folder) / "again"
                derived = _verify_run(run, again, cores, further, findings, step_log)
                result = worst([stated, derived])
            except PipelineError as error:  # the temporary directory no longer exists when it is read
                what = str(error).replace(f"{folder}/", "")
                raise ArchiveError(f"{file}: {printable(what)}") from error
        _never_verified(signers, findings)
        findings.end()
        return VerifiedArchive(
            file, archive.seal.size, archive.seal.sha256, metadata.run, result, tuple(findings.found)
        )


def _printing(log: Log) -> Log:
    """`log` with control characters escaped: an archive must not write to a terminal as it likes."""
    return lambda line: log(printable(line))


def _attested(
    run: ArchivedRun, options: AttestationOptions, findings: Findings
) -> tuple[Verification, list[str]]:
    """Checks the statements about the archive, and reports who says what cannot be derived."""
    metadata = run.metadata
    predicate = partial(predicate_of, run)
    result, signers = check_attestations(run.file, run.sha256, predicate, options, findings)
    changed = " with local changes" if metadata.changed else ""
    facts = f"{metadata.run}, ended {metadata.ended}, commit {metadata.commit}{changed}"
    outcome = "attested" if signers else "claimed"
    if signers:
        findings.attested("run", f"{', '.join(signers)}: {facts}", outcome)
    else:
        findings.attested("run", f"{facts}; nobody known here vouches for that", outcome)
    add_makings(run, findings, outcome)
    return result, signers


def add_makings(run: Run, findings: Findings, outcome: str = "claimed") -> None:
    """Adds what is said to have made the answers of a run from an archive, and what is not said.

    outcome: `attested` if a trusted signer vouches for the archive.

    Raises JournalError or ProvenanceError if a journal or a record is damaged or was changed.
    """
    for path in sorted(run.journals.glob(f"*/{FOLDER}/*.json")):
        read_provenance(path)
    log_records(run)
    for folder in run.recorded.folders:
        if making := run.making(folder):
            for line in making.stated_lines():
                findings.attested("model", f"{folder}: {line}", outcome)
            for line in making.gap_lines():
                findings.not_verified("model", f"{folder}: {line}")


def _verify_run(
    run: ArchivedRun,
    again: Path,
    cores: int,
    further: Sequence[FurtherCheck],
    findings: Findings,
    step_log: Log,
) -> Verification:
    """Verifies the run as far as the staged data allow. again: the working directory of its replay."""
    metadata = run.metadata
    consistent = _check_web(run.cache / "web", cores, findings, step_log)
    software = list(_software_differences(metadata, project_folder()))
    for difference in software:
        findings.add(Part.DERIVED, "differs", "software", difference)
    if not software:
        names = ", ".join(f"{name} {version}" for name, version in sorted(metadata.versions.items()))
        findings.add(Part.DERIVED, "same", "software", names)
    try:
        _check_data(run)
    except StagingError as error:
        if further:
            raise
        findings.not_verified("results", f"only their hashes were checked: {error}")
        return Verification.INCOMPLETE if consistent else Verification.DIFFERS
    findings.add(Part.DERIVED, "same", "release", " ".join(metadata.release))
    derived = derive(run, work=again, cores=cores, log=step_log)
    pyarrow = versions()["pyarrow"]
    other_pyarrow = metadata.versions.get("pyarrow", pyarrow) != pyarrow
    results = _compare(run, derived, software, other_pyarrow, findings)
    if not consistent or results is Verification.DIFFERS:
        if further:
            findings.not_verified("further", "no further check was made, because something differs")
        return Verification.DIFFERS
    return worst([results, *(check(run, findings, step_log) for check in further)])


def _compare(
    run: ArchivedRun,
    derived: Path,
    software: Sequence[str],
    other_pyarrow: bool,
    findings: Findings,
) -> Verification:
    differences = list(file_differences(run.folder, derived))
    # Each Parquet file contains the version of pyarrow, so another version writes other bytes.
    reencoded = [one for one in differences if one.reencoded and other_pyarrow]
    changed = [one for one in differences if one not in reencoded]
    if changed:
        findings.differing("results", list(map(str, changed)), "files")
        others = {*compared_files(derived)} - {one.file for one in differences}
        what = f"{len(others):,} other files were derived again and are identical"
        findings.add(Part.DERIVED, "same", "results", what)
        if software:
            reason = "The software differs, which may be the reason: verify with the archive's"
            findings.add(Part.DERIVED, "", "", f"{reason}, commit {run.metadata.commit}.")
        return Verification.DIFFERS
    files = len(compared_files(derived))
    same = files - len(reencoded)
    findings.verified("results", f"{same:,} of {files:,} files were derived again and are identical")
    if reencoded:
        what = f"{len(reencoded):,} tables have the same rows, in the bytes of another pyarrow version"
        findings.verified("results", what)
    taken = taken_from_run(run.recorded.given, derived)
    for name, line in taken.items():
        findings.not_verified(name, line)
    failures = copied_failures(missing_answers(derived))
    if failures:
        what = "have no answer; the reason comes from the archive and cannot be derived again"
        findings.not_verified("failures", f"{failures:,} entries or memory sessions {what}")
    return Verification.INCOMPLETE if failures or taken else Verification.COMPLETE


def _software_differences(metadata: CrateMetadata, project: Path) -> Iterator[str]:
    """What differs between the software of the archive and that of this machine, one line each."""
    installed = versions()
    for name, version in sorted(metadata.versions.items()):
        if installed.get(name) != version:
            yield f"{name} {version} in the archive, {installed.get(name, 'none')} here"
    workflow = [name for name in sorted(metadata.sha256) if name.startswith(("Snakefile", "workflow/"))]
    for names in ([LOCK] if LOCK in metadata.sha256 else [], workflow):
        other = (name for name in names if not has_sha256(project / name, metadata.sha256[name]))
        yield from (f"{name} is not the same" for name in islice(other, 1))


def _check_data(run: ArchivedRun) -> None:
    """Raises StagingError if the run cannot be replayed with the staged `data`."""
    check_staged(run)
    data, (version, sha256) = run.data, run.metadata.release
    wheels = (data / "release").glob(f"*-{version}-*.whl")
    if any(file_sha256(wheel) == sha256 for wheel in wheels):
        return
    staged = run.metadata.staged.items()
    if not staged or not all(has_sha256(data / name, expected) for name, expected in staged):
        raise StagingError(
            f"{data}: another release than {version} is staged, or its files differ. Run "
            f"`{stage_command(run)}` first."
        )


def _check_web(record: Path, cores: int, findings: Findings, step_log: Log) -> bool:
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
    findings.verified("web", f"{check.outcomes:,} {what} are as they were recorded")
    findings.verified(
        "web", f"{check.proven + check.unsent:,} of them follow from the HTTP in their cassettes"
    )
    for lines, why in (
        (check.missing, "have no cassette"),
        (check.undecided, "were recorded by another version of the reader"),
    ):
        if lines:
            first = lines[0].replace(folder, "")
            findings.not_verified("web", f"{len(lines):,} of them {why}, the first: {first}")
    contradictions = [line.replace(folder, "") for line in check.contradictions]
    findings.differing("web", contradictions, "outcomes that contradict their cassettes")
    return not check.contradictions


def _never_verified(signers: Sequence[str], findings: Findings) -> None:
    """Reports what an archive alone cannot prove in any case."""
    findings.not_verified("logs", "logs, times and Snakemake's records cannot be derived again")
    word = f": it rests on the word of {', '.join(signers)}" if signers else ""
    asked = any(finding.part is Part.ASKED for finding in findings.found)
    findings.not_verified("answers", f"{_NOT_ASKED if asked else _NOT_ANSWERED}{word}")
