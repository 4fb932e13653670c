"""Time stamps of signatures (RFC 3161)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.errors import NotCheckable, SigningError
from bfcl_pipeline.signing.signature import TimeStamp


def request_time_stamp(signature: bytes, url: str) -> bytes:
    """The response of a time stamp authority for the bytes of a signature, checked.

    Raises:
        SigningError: the package is not installed, the service cannot be reached, or its answer is wrong.
    """
    raise SigningError("Time stamps are not supported yet.")


def check_time_stamp(response: bytes, signature: bytes, roots: Sequence[Path]) -> TimeStamp:
    """Checks a response of a time stamp authority, offline.

    Args:
        response: DER bytes, untrusted; at most 1 MiB.
        signature: the bytes that it must be of.
        roots: PEM files with the certificates that the verifier trusts; none: those of certifi.

    Raises:
        BadSignature: it is malformed, or not of `signature`.
        NotCheckable: the package is not installed.
    """
    raise NotCheckable("Time stamps are not supported yet.")
