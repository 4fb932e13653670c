"""Signatures without a key of one's own: sigstore."""

from __future__ import annotations

from bfcl_pipeline.errors import NotCheckable, SigningError
from bfcl_pipeline.signing.signature import CheckedSignature, SigstoreSigning, SigstoreTrust


def sign_keyless(payload: bytes, options: SigstoreSigning) -> bytes:
    """Signs a statement.

    Returns:
        The sigstore bundle, as one line of JSON without a line feed.

    Raises:
        SigningError: sigstore is not installed, cannot be reached, or refuses.
    """
    raise SigningError("sigstore is not supported yet.")


def check_bundle(line: bytes, trust: SigstoreTrust) -> CheckedSignature:
    """Checks a sigstore bundle, offline.

    The line is at most 1 MiB, a JSON object without duplicate names, and untrusted.

    Args:
        line: the bundle, as one line of JSON.
        trust: whose signatures are trusted. `Signer.principals` has the identity if it is that of `trust`.

    Raises:
        BadSignature: the bundle is malformed, or its signature does not hold.
        NotCheckable: sigstore is not installed.
    """
    raise NotCheckable("sigstore is not supported yet.")
