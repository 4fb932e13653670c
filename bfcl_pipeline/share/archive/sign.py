"""Signing an archive that exists: the statement about it is made from the archive, and signed."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, SigningError
from bfcl_pipeline.runs.archived.crate_metadata import read_metadata
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import check_hashes, unpack_whole_run
from bfcl_pipeline.share.archive.statement import make_statement, predicate_of, subject_of
from bfcl_pipeline.share.signing.signature import CheckedSignature, SigningOptions, Trust
from bfcl_pipeline.share.signing.signed_line import check_line, payload_of, sign_statement, signing_key_of
from bfcl_pipeline.share.signing.statement_file import read_lines, statements_path, write_lines


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
