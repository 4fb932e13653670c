"""Verifying the archives of a site, each once: what was found is kept by its owner, outside of the site.

Anybody may put a copy of an archive, with any statements, into a folder of their own. So the signed
statements of all copies are checked, and one that does not hold is left out and takes nothing from the
others.
"""

import hashlib
import shutil
from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable, PipelineError, StagingError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log, line_of, printable
from bfcl_pipeline.runs.archived.findings import Part, Verification, VerifiedArchive
from bfcl_pipeline.runs.archived.members import file_sha256, has_sha256
from bfcl_pipeline.runs.provenance.software import versions
from bfcl_pipeline.share.archive.attestations import SUBJECT, AttestationOptions, statement_of
from bfcl_pipeline.share.archive.statement import first_difference, read_statement, subject_of
from bfcl_pipeline.share.archive.verify import verify_archive
from bfcl_pipeline.share.gallery.bundle import ARCHIVE
from bfcl_pipeline.share.gallery.bundle_check import Bundle, check_exports, sum_of
from bfcl_pipeline.share.gallery.collect import Collector
from bfcl_pipeline.share.gallery.find import Found
from bfcl_pipeline.share.gallery.record import ArchiveRecord, Reproduction, read_record, write_record
from bfcl_pipeline.share.signing.signature import LINES, Trust, read_lines, statements_path, write_lines
from bfcl_pipeline.share.signing.signed_line import check_line, payload_of


def statement_lines(found: Found, log: Log) -> set[bytes]:
    """The lines of all files of statements on an archive. log: receives a line for one that has no form."""
    lines: set[bytes] = set()
    for path in found.statements:
        try:
            lines |= set(read_lines(path))
        except (OSError, BadSignature) as error:
            log(f"left out: {printable(str(error))}")
    return lines


def statements_that_hold(file: Path, lines: Collection[bytes], trust: Trust) -> list[bytes]:
    """Those statements that say what an archive says, or that a trusted signer made of it; as many as a
    file may have, those of trusted signers first.

    Raises:
        ArchiveError: the archive is damaged or malformed.
        PipelineError: a file of the run is damaged.
    """
    if not lines:
        return []
    sha256, payload = statement_of(file)
    _, says = read_statement(payload)
    ordered: list[tuple[int, bytes]] = []
    for line in lines:
        try:
            if subject_of(payload_of(line)) != sha256:
                continue
            checked = check_line(line, trust)
            trusted = bool(checked.principals)
            if trusted or first_difference(read_statement(checked.payload)[1], says) is None:
                ordered.append((0 if trusted else 1, line))
        except NotCheckable:
            ordered.append((2, line))
        except BadSignature:
            continue
    return [line for _, line in sorted(ordered)[:LINES]]


_PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """How a site is made."""

    data: Path  # the staged release
    cores: int
    kept: Path  # directory with what was found of each archive, outside of the site
    title: str = "BFCL V4: runs that anybody can check"
    attestation: AttestationOptions = field(default_factory=AttestationOptions)  # whose statements count


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies archives, or takes what was found before."""

    options: GalleryOptions
    out: Path  # the site, which gets the archives, their statements and their reports
    log: Log  # receives a line for each archive
    step_log: Log  # receives the steps of the derivation

    def records(self, archives: Sequence[Found]) -> list[ArchiveRecord]:
        """The records of archives, in their order; the site has the files that they name."""
        read = cache(Bundle.read)
        records = []
        for number, found in enumerate(archives, start=1):
            count = f"[{number}/{len(archives)}]"
            if found.refused:
                records.append(self._refused(found, count))
            else:
                records.append(self._record(found, deepcopy(list(map(read, found.folders))), count))
        return records

    def _refused(self, found: Found, count: str) -> ArchiveRecord:
        """The record of a file that is not an archive to verify: a row, without a page or a copy."""
        file, reason = found.files[0], line_of(found.refused)
        self.log(f"{count} {line_of(file.name)}: {Reproduction.REFUSED}: {reason}")
        size = file.stat().st_size
        return ArchiveRecord(
            "", line_of(file.name), found.sha256, size, Reproduction.REFUSED, (), reason=reason
        )

    def _record(self, found: Found, bundles: Sequence[Bundle], count: str) -> ArchiveRecord:
        key = verification_key(found, bundles, self.options.data, self.options.attestation)
        path = self.options.kept / f"{key}.json"
        known = read_record(path, key)
        name = line_of(min(file.name for file in found.files))
        if known is not None and all(
            has_sha256(self.out / place, one) for place, one in known.files.items()
        ):
            self.log(f"{count} {name}: {known.outcome}, as found before")
            return known
        self.log(f"{count} {name}: being verified")
        size = found.files[0].stat().st_size
        record = ArchiveRecord(key, name, found.sha256, size, Reproduction.REFUSED, ())
        _copy(found, self.out / record.download)
        try:
            record = self._verified(found, record, bundles)
        except PipelineError as error:
            file = self.out / record.download
            reason = str(error).removeprefix(f"{file}: ").replace(str(file), name)
            record = replace(record, reason=line_of(reason))
        record = replace(record, claims=tuple(bundle.claims for bundle in bundles))
        write_record(path, record)
        why = record.reason or "; ".join(record.wrong)
        self.log(f"{count} {name}: {record.outcome}{f': {printable(why)}' if why else ''}")
        return record

    def _verified(self, found: Found, record: ArchiveRecord, bundles: Sequence[Bundle]) -> ArchiveRecord:
        """Verifies the site's copy of an archive, with the statements on it that hold."""
        file = self.out / record.download
        statements = statements_path(file)
        statements.unlink(missing_ok=True)
        lines = statements_that_hold(file, statement_lines(found, self.log), self.options.attestation.trust)
        if lines:
            write_lines(statements, lines)
        collector = Collector(self.out / record.report_folder, lambda run: check_exports(bundles, run))
        done = self._verify(file, collector)
        outcome, order = _outcome(done, collector), list(Part)
        return replace(
            record,
            name=f"{line_of(done.run)}{ARCHIVE}",
            outcome=outcome,
            findings=tuple(sorted(done.findings, key=lambda finding: order.index(finding.part))),
            run=done.run,
            ended=collector.run.facts["Ended"] if collector.run else "",
            statements=file_sha256(statements) if lines else "",
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
        verify = partial(
            verify_archive,
            file,
            data=self.options.data,
            cores=self.options.cores,
            log=lambda _line: None,  # findings are in the result as well
            step_log=self.step_log,
            attestation=self.options.attestation,
        )
        try:
            return verify(further=[collector])
        except PipelineError as error:
            if not isinstance(error.__cause__, StagingError):
                raise
        return verify()


def verification_key(
    found: Found, bundles: Sequence[Bundle], data: Path, attestation: AttestationOptions
) -> str:
    """A hash of all that the verification of an archive depends on.

    That is the archive, its statements and who is trusted, the names of its files and what is beside them,
    the code here with the versions of its packages, and the staged release.
    """
    parts = [found.sha256, _code(), _staged(data), *_trusted(attestation)]
    parts += [file.name for file in found.files]
    parts += [f"{path.name}:{sum_of(path)}" for path in found.statements]
    parts += [repr((bundle.claims, sorted(bundle.sums.items()))) for bundle in bundles]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _copy(found: Found, target: Path) -> None:
    """Copies an archive into the site, unless it is there."""
    if not has_sha256(target, found.sha256):
        with atomic_path(target) as temporary:
            shutil.copyfile(found.files[0], temporary)
            if not has_sha256(temporary, found.sha256):
                raise ConfigError(f"{found.files[0]}: changed while the site was made. Make it again.")


def _trusted(attestation: AttestationOptions) -> Iterator[str]:
    """Who is trusted: the contents of files, and names."""
    trust = attestation.trust
    for path in (trust.signers, trust.trust_config):
        yield "" if path is None else file_sha256(path)
    yield repr((trust.identity, trust.issuer, attestation.required, attestation.principal))


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


def _outcome(done: VerifiedArchive, collector: Collector) -> Reproduction:
    if done.verification is Verification.DIFFERS:
        return Reproduction.DIFFERS
    if collector.run is None:
        return Reproduction.UNDERIVED
    complete = done.verification is Verification.COMPLETE
    return Reproduction.DERIVED if complete else Reproduction.PARTLY
