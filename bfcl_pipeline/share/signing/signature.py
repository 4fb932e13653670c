"""What is asked of a signature, and what its check found. Shared by keys and sigstore."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
