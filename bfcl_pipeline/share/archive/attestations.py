"""Checking the signed statements about an archive: who vouches for it, and whether it says the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.share.archive.statement import first_difference, read_statement
from bfcl_pipeline.share.signing.signature import CheckedSignature, Trust
from bfcl_pipeline.share.signing.signed_line import check_line
from bfcl_pipeline.share.signing.statement_file import read_lines, statements_path

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
    statement = read_statement(checked.payload)
    by = f"signed by {_name(checked)}, but"
    if statement.sha256 != sha256:
        raise BadSignature(f"{by} about another file, with the sha256 {statement.sha256}")
    difference = first_difference(statement.predicate, predicate)
    if difference is not None:
        raise BadSignature(f"{by} does not say what the archive says: {difference}")


def _name(signature: CheckedSignature) -> str:
    """Who signed, with the key or the service that confirmed it."""
    issuer = f", confirmed by {signature.issuer}" if signature.issuer else ""
    if not signature.principals:
        return f"{signature.identity}{issuer}, {signature.reason}"
    known = "" if signature.identity in signature.principals else f" ({signature.identity})"
    return f"{', '.join(signature.principals)}{known}{issuer}"
