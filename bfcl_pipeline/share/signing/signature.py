"""What is asked of a signature, what its check found, and the file of signed statements beside an archive.

Shared by keys and sigstore. The file has one envelope or sigstore bundle a line. It may be from anybody, so
numbers and sizes of lines are limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.base.files import atomic_path, read_regular

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""The type of what is signed: an in-toto statement."""


@dataclass(frozen=True, slots=True)
class SigningOptions:
    """How a statement is to be signed: with a key, or with sigstore if there is none."""

    key: Path | None = None  # SSH key: private, or public with the private one in an agent
    identity_token: Path | None = None  # file with an OIDC token; None: the environment, then a browser
    trust_config: Path | None = None  # ClientTrustConfig of a private instance; None: the public one


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom the verifier trusts; nothing of it comes from an archive or a statement."""

    signers: Path | None = None  # SSH keys and their owners, in the format of OpenSSH's allowed_signers
    identity: str | None = None  # sigstore: of the certificate, such as an email; None: none is trusted
    issuer: str | None = None  # sigstore: URL of the service that confirmed the identity
    trust_config: Path | None = None  # ClientTrustConfig of a private instance; None: the public one


@dataclass(frozen=True, slots=True)
class CheckedSignature:
    """A valid signature: what was signed, by whom, when, as far as it is known."""

    payload: bytes  # the statement
    identity: str  # SSH: the fingerprint SHA256:...; sigstore: the identity in the certificate
    issuer: str | None = None  # sigstore: who confirmed the identity
    principals: tuple[str, ...] = ()  # names that the verifier's trust gives this signer; none: not trusted
    reason: str = ""  # why the signer is not trusted, a clause that may follow a comma or colon
    time: str | None = None  # ISO 8601 in UTC, as a sigstore bundle proves; None: unknown, as with SSH keys
    authority: str = ""  # who says when that was


LINE_BYTES = 1 << 20
"""The longest line."""

LINES = 64
"""The most lines."""


def statements_path(archive: Path) -> Path:
    """Where the statements about an archive are: run.crate.zip.intoto.jsonl."""
    return archive.with_name(f"{archive.name}.intoto.jsonl")


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file of statements, without their line feeds.

    Raises:
        BadSignature: too many or too long lines, or not a regular file.
        OSError: it cannot be read.
    """
    try:
        content = read_regular(path, LINES * (LINE_BYTES + 1))
    except ValueError as error:
        raise BadSignature(f"{path}: {error}; not a file of statements.") from error
    lines = content.removesuffix(b"\n").split(b"\n")
    if len(lines) > LINES:
        raise BadSignature(f"{path}: {len(lines):,} lines; a file of statements has at most {LINES}.")
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_BYTES:
            raise BadSignature(f"{path}, line {number}: more than {LINE_BYTES:,} bytes.")
    return lines


def write_lines(path: Path, lines: Sequence[bytes]) -> None:
    """Writes a file of statements, atomically. Raises BadSignature if they are too many or too long."""
    if len(lines) > LINES or any(len(line) > LINE_BYTES for line in lines):
        raise BadSignature(
            f"{path}: nothing was written: more than {LINES} statements, or one of more than "
            f"{LINE_BYTES:,} bytes. Move the file away, then sign again."
        )
    with atomic_path(path) as temporary:
        temporary.write_bytes(b"".join(line + b"\n" for line in lines))
