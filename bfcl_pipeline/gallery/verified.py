"""Verifying the archives of a site, each once: what was found is kept beside the site."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from bfcl_pipeline.archive.attestations import SUBJECT, AttestationOptions
from bfcl_pipeline.archive.findings import Finding, Part, UnpackedRun, Verification, VerifiedArchive
from bfcl_pipeline.archive.members import file_sha256
from bfcl_pipeline.archive.software import versions
from bfcl_pipeline.archive.verify import verify
from bfcl_pipeline.errors import PipelineError, StagingError
from bfcl_pipeline.gallery.bundle import files_of
from bfcl_pipeline.gallery.bundle_check import MOST_FILES, Claims, check_exports, check_sums
from bfcl_pipeline.gallery.collect import Collector
from bfcl_pipeline.gallery.find import Found
from bfcl_pipeline.gallery.record import ArchiveRecord, Outcome, read_record, write_record
from bfcl_pipeline.text import Log, line_of, printable

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies archives, or takes what was found before."""

    kept: Path  # directory of what was found
    data: Path  # the staged release
    cores: int
    log: Log  # receives a line for each archive
    step_log: Log  # receives the steps of the derivation
    attestation: AttestationOptions = field(default_factory=AttestationOptions)  # whose statements count

    def records(self, archives: Sequence[Found]) -> list[ArchiveRecord]:
        """The records of archives, in their order."""
        return [
            self._record(found, number, len(archives)) for number, found in enumerate(archives, start=1)
        ]

    def report_folder(self, sha256: str) -> Path:
        """Where the report of the archive with this sha256 is kept."""
        return self.kept / sha256

    def _record(self, found: Found, number: int, total: int) -> ArchiveRecord:
        name, key = line_of(found.file.name), key_of(found, self.data, self.attestation)
        path = self.kept / f"{found.sha256}.json"
        known = read_record(path, key)
        if known is not None and self._has_report(known):
            self.log(f"[{number}/{total}] {name}: {known.outcome}, as found before")
            return replace(known, name=name)
        self.log(f"[{number}/{total}] {name}: being verified")
        record = self._verified(found, key)
        write_record(path, record)
        why = record.reason or "; ".join(record.claims)
        self.log(f"[{number}/{total}] {name}: {record.outcome}{f': {printable(why)}' if why else ''}")
        return record

    def _has_report(self, record: ArchiveRecord) -> bool:
        files = record.derived.report if record.derived else {}
        folder = self.report_folder(record.sha256)
        return all(
            (folder / name).is_file() and file_sha256(folder / name) == sha256
            for name, sha256 in files.items()
        )

    def _verified(self, found: Found, key: str) -> ArchiveRecord:
        claims = Claims()
        if found.bundle is not None:
            check_sums(found.bundle, claims)
        collector = Collector(self.report_folder(found.sha256), lambda run: _check(found, run, claims))
        shutil.rmtree(self.report_folder(found.sha256), ignore_errors=True)
        statements = file_sha256(found.statements) if found.statements else ""
        size = found.file.stat().st_size
        empty = ArchiveRecord(
            key, line_of(found.file.name), found.sha256, size, Outcome.REFUSED, (), statements=statements
        )
        try:
            done = self._verify(found.file, collector)
        except PipelineError as error:
            reason = line_of(
                str(error).removeprefix(f"{found.file}: ").replace(str(found.file), found.file.name)
            )
            return replace(empty, reason=reason, claims=tuple(claims.wrong))
        if done.sha256 != found.sha256:  # another file took its place meanwhile
            return replace(empty, reason="the file was replaced while it was verified")
        outcome = _outcome(done, collector)
        return replace(
            empty,
            outcome=outcome,
            findings=_sorted(done.findings),
            run=done.run,
            ended=_ended(collector),
            claims=tuple(claims.wrong),
            checked=tuple(claims.right),
            derived=collector.run if outcome.ranked else None,
            attested=tuple(
                finding.what
                for finding in done.findings
                if finding.part is Part.ATTESTED
                and finding.subject == SUBJECT
                and finding.outcome == "attested"
            ),
        )

    def _verify(self, file: Path, collector: Collector) -> VerifiedArchive:
        """Without the staged release, as far as that goes."""
        try:
            return verify(
                file,
                data=self.data,
                cores=self.cores,
                log=_silent,
                step_log=self.step_log,
                further=[collector],
                attestation=self.attestation,
            )
        except PipelineError as error:
            if not isinstance(error.__cause__, StagingError):
                raise
        return verify(
            file,
            data=self.data,
            cores=self.cores,
            log=_silent,
            step_log=self.step_log,
            attestation=self.attestation,
        )


def key_of(found: Found, data: Path, attestation: AttestationOptions) -> str:
    """A hash of all that the verification of an archive depends on.

    That is the archive, its statements and who is trusted, the bundle around it, the code here with the
    versions of its packages, and the staged release.
    """
    parts = [
        found.sha256,
        file_sha256(found.statements) if found.statements else "",
        _code(),
        _staged(data),
    ]
    parts += list(_trusted(attestation))
    if found.bundle is not None:
        files = list(files_of(found.bundle))[: MOST_FILES + 1]
        parts += [
            f"{path.relative_to(found.bundle)}:{file_sha256(path)}" for path in files if path != found.file
        ]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _trusted(attestation: AttestationOptions) -> Iterator[str]:
    """Who is trusted: the contents of files, and names."""
    trust = attestation.trust
    for path in (trust.signers, *trust.timestamp_roots, trust.sigstore.trust_config):
        yield "" if path is None else file_sha256(path)
    yield repr(
        (trust.sigstore.identity, trust.sigstore.issuer, attestation.required, attestation.principal)
    )


@cache
def _code() -> str:
    """A hash of the modules of this package and of the versions of others."""
    digest = hashlib.sha256(repr(sorted(versions().items())).encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _staged(data: Path) -> str:
    """A hash of the staged release: a few large files, each with its size, and the texts in full."""
    digest = hashlib.sha256()
    for path in sorted([*data.glob("release/*.json"), *data.glob("entries/*.parquet")]):
        digest.update(f"{path.name}:{file_sha256(path)}\n".encode())
    return digest.hexdigest()


def _check(found: Found, run: UnpackedRun, claims: Claims) -> None:
    if found.bundle is not None:
        check_exports(found.bundle, run, claims)


def _outcome(done: VerifiedArchive, collector: Collector) -> Outcome:
    if done.verification is Verification.DIFFERS:
        return Outcome.DIFFERS
    if collector.run is None:
        return Outcome.UNDERIVED
    complete = done.verification is Verification.COMPLETE
    return Outcome.DERIVED if complete else Outcome.PARTLY


def _sorted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    order = list(Part)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.part)))


def _ended(collector: Collector) -> str:
    return collector.run.facts["Ended"] if collector.run else ""


def _silent(line: str) -> None:
    """Receives findings that are in the result as well."""
