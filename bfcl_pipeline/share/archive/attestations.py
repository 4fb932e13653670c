"""The signed statements about an archive: signing one, and checking who vouches for it and says the same.

The statement is made from the archive, which exists already.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable, SigningError
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.crate_metadata import read_metadata
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import check_hashes, unpack_whole_run
from bfcl_pipeline.share.archive.statement import (
    first_difference,
    make_statement,
    predicate_of,
    read_statement,
    subject_of,
)
from bfcl_pipeline.share.signing.signature import (
    CheckedSignature,
    SigningOptions,
    Trust,
    read_lines,
    statements_path,
    write_lines,
)
from bfcl_pipeline.share.signing.signed_line import check_line, payload_of, sign_statement, signing_key_of

SUBJECT = "statement"


@dataclass(frozen=True, slots=True)
class AttestationOptions:
    """What the verifier demands of statements, and whom they trust."""

    trust: Trust = field(default_factory=Trust)
    statements: Path | None = None  # their file; None: that beside the archive, if there is one
    required: bool = False  # whether a valid statement of a trusted signer is demanded
    principal: str | None = None  # who that signer must be; None: anybody who is trusted

    def check(self) -> None:
        """Raises ConfigError if a file that is named does not exist."""
        for path in (self.statements, self.trust.signers):
            if path is not None and not path.is_file():
                raise ConfigError(f"{path}: no such file.")


def check_attestations(
    file: Path,
    sha256: str,
    predicate: Callable[[], Mapping[str, Json]],
    options: AttestationOptions,
    findings: Findings,
) -> tuple[Verification, list[str]]:
    """Checks each signed statement about an archive, offline.

    Args:
        file: the archive.
        sha256: of the archive.
        predicate: returns what the archive says (`statement.predicate_of`); called if there is a statement.
        options: whom the verifier trusts.
        findings: receives a line for each statement.

    Returns:
        DIFFERS if a statement does not hold or a demanded one is missing, else COMPLETE; and the trusted
        signers of valid statements.

    Raises:
        OSError: the file of statements cannot be read.
    """
    path = options.statements or statements_path(file)
    try:
        lines = read_lines(path) if path.exists() else []
    except BadSignature as error:
        findings.add(Part.ATTESTED, "DIFFERS", SUBJECT, str(error))
        return Verification.DIFFERS, []
    says = predicate() if lines else {}
    result = Verification.COMPLETE
    signers: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        name = f"line {number}: " if len(lines) > 1 else ""
        try:
            checked = check_line(line, options.trust)
            _compare(checked, sha256, says)
        except NotCheckable as error:
            findings.not_verified(SUBJECT, f"{name}{error}")
        except BadSignature as error:
            findings.add(Part.ATTESTED, "DIFFERS", SUBJECT, f"{name}{error}")
            result = Verification.DIFFERS
        else:
            existed = f"; existed at {checked.time}, says {checked.authority}" if checked.time else ""
            what = f"signed by {_name(checked)}{existed}"
            findings.attested(SUBJECT, what, "attested" if checked.principals else "unknown")
            signers |= dict.fromkeys(checked.principals)
    if options.required and not (options.principal in signers if options.principal else signers):
        who = options.principal or "a signer who is trusted here"
        what = f"there is no valid statement of {who}, which --require-signature demands"
        findings.add(Part.ATTESTED, "DIFFERS", SUBJECT, what)
        result = Verification.DIFFERS
    return result, list(signers)


def _compare(checked: CheckedSignature, sha256: str, predicate: Mapping[str, Json]) -> None:
    """Raises BadSignature if a signed statement is not about the archive, or says something else."""
    about, says = read_statement(checked.payload)
    by = f"signed by {_name(checked)}, but"
    if about != sha256:
        raise BadSignature(f"{by} about another file, with the sha256 {about}")
    difference = first_difference(says, predicate)
    if difference is not None:
        raise BadSignature(f"{by} does not say what the archive says: {difference}")


def _name(signature: CheckedSignature) -> str:
    """Who signed, with the key or the service that confirmed it."""
    issuer = f", confirmed by {signature.issuer}" if signature.issuer else ""
    if not signature.principals:
        return f"{signature.identity}{issuer}, {signature.reason}"
    known = "" if signature.identity in signature.principals else f" ({signature.identity})"
    return f"{', '.join(signature.principals)}{known}{issuer}"


@dataclass(frozen=True, slots=True)
class SignedArchive:
    """An archive with a new signature."""

    file: Path  # the archive
    statements: Path  # the file of its signed statements
    number: int  # of statements in it
    signature: CheckedSignature


def sign_archive(file: Path, options: SigningOptions) -> SignedArchive:
    """Signs a statement about an archive, and adds it to the file of statements beside it.

    A statement by the same key is replaced. Seal, structure and hashes of the archive are checked; its
    results are not derived again.

    Raises:
        ArchiveError: the archive is damaged or malformed.
        SigningError: it could not be signed, or the file of statements is of another archive.
        PipelineError: a file of the run is damaged.
    """
    sha256, payload = statement_of(file)
    path = statements_path(file)
    others = _present(path, file, sha256)
    line = sign_statement(payload, options)
    key = signing_key_of(line)
    kept = [other for other in others if key is None or signing_key_of(other) != key]
    checked = check_line(line, Trust(trust_config=options.trust_config))  # nobody is trusted
    write_lines(path, [*kept, line])
    return SignedArchive(file, path, len(kept) + 1, checked)


def carry_statements(signed: Path, copy: Path, sha256: str) -> int:
    """Puts the statements beside an archive beside a copy of it, too, and returns their number.

    sha256: of the copy. Raises SigningError if a statement is about a file with another sha256.
    """
    lines = _present(statements_path(signed), signed, sha256)
    if lines:
        write_lines(statements_path(copy), lines)
    return len(lines)


def stale_statements(file: Path, sha256: str) -> bool:
    """Whether the file of statements beside an archive is not about it: it was written anew since."""
    path = statements_path(file)
    if not path.is_file():
        return False
    try:
        _present(path, file, sha256)
    except SigningError:
        return True
    return False


def statement_of(file: Path) -> tuple[str, bytes]:
    """The sha256 of an archive and the statement about it."""
    with SealedArchive(file) as archive, tempfile.TemporaryDirectory(prefix="bfcl-sign-") as folder:
        check_hashes(archive, read_metadata(archive))
        predicate = predicate_of(unpack_whole_run(archive, Path(folder)))
        return archive.seal.sha256, make_statement(file.name, archive.seal.sha256, predicate)


def _present(path: Path, file: Path, sha256: str) -> list[bytes]:
    """The statements that are there already. Raises SigningError if one is not about the archive."""
    if not path.is_file():
        return []
    try:
        lines = read_lines(path)
        others = {subject_of(payload_of(line)) for line in lines} - {sha256}
    except BadSignature as error:
        raise SigningError(f"{path}: {error}. Move the file away, then sign again.") from error
    if others:
        raise SigningError(
            f"{path} has statements about another file, with the sha256 {min(others)}; {file} has "
            f"{sha256}. Move the file of statements away, then sign again."
        )
    return lines
