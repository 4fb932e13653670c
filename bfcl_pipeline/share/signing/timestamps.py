"""Time stamps of signatures (RFC 3161): requested from an authority, checked offline.

Covers what is requested, the checks of an answer, and which certificates vouch for an authority.
Signatures and chains of certificates are checked by rfc3161-client, not by code of this module.
"""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import certifi

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable, SigningError
from bfcl_pipeline.base.files import named_file, read_regular
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.share.signing.signature import TimeStamp
from bfcl_pipeline.share.signing.timestamp_service import post_request, shown_address

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampRequest, TimeStampResponse

MOST_ROOT_BYTES = 4 * 1024 * 1024
"""The largest file of certificates that is read."""

INSTALL = "Run: pip install 'bfcl-pipeline[sign]'"
"""What to do without the packages."""

_HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
"""The hashes of time stamps by their object identifiers, as rfc3161-client knows them."""


def check_service(url: str) -> None:
    """Raises ConfigError if `url` is not an address of HTTP, SigningError if a package is missing."""
    shown_address(url)
    try:
        import rfc3161_client  # noqa: F401
    except ImportError:
        raise SigningError(f"A time stamp needs the package rfc3161-client. {INSTALL}") from None


def request_time_stamp(signature: bytes, url: str, roots: Sequence[Path] = ()) -> bytes:
    """The response of a time stamp authority for the bytes of a signature, checked.

    The authority receives the sha256 of the signature and nothing else.

    Args:
        signature: what the time stamp is of.
        url: of the authority, http:// or https://: the answer is signed. Redirects are not followed.
        roots: as of `check_time_stamp`. An authority for which none of them vouches is accepted.

    Returns:
        DER bytes.

    Raises:
        ConfigError: `url` is not an address, or a file of `roots` has no certificates.
        SigningError: the package is not installed, the service cannot be reached, or its answer is wrong.
    """
    check_service(url)
    from rfc3161_client import TimestampRequestBuilder
    from rfc3161_client.base import HashAlgorithm

    request = (
        TimestampRequestBuilder()
        .data(signature)
        .hash_algorithm(HashAlgorithm.SHA256)
        .nonce(nonce=True)
        .cert_request(cert_request=True)
        .build()
    )
    content = post_request(url, request.as_bytes())
    try:
        _check_answer(content, request)
        check_time_stamp(content, signature, roots)
    except BadSignature as error:
        raise SigningError(f"{shown_address(url)} sent no valid time stamp: {error}") from None
    return content


def check_time_stamp(response: bytes, signature: bytes, roots: Sequence[Path]) -> TimeStamp:
    """Checks a response of a time stamp authority, offline.

    Args:
        response: DER bytes, untrusted; at most 1 MiB.
        signature: the bytes that it must be of.
        roots: PEM files with the certificates that the verifier trusts; none: those of certifi.

    Returns:
        The time stamp. If no root vouches for its authority, `trusted` is False: whether the authority
        signed it was not checked, because anybody can make such an authority.

    Raises:
        BadSignature: it is malformed, not of `signature`, or not signed by the authority that it names.
        ConfigError: a file of `roots` has no certificates.
        NotCheckable: the package is not installed.
    """
    try:
        import rfc3161_client  # noqa: F401
    except ImportError:
        raise NotCheckable(f"the package rfc3161-client is not installed. {INSTALL}") from None
    trusted = [certificate for root in roots for certificate in _pem(root)] if roots else _usual()
    return check_token(response, signature, trusted)


def check_token(response: bytes, signature: bytes, trusted: Sequence[Certificate]) -> TimeStamp:
    """Like `check_time_stamp`, with certificates in place of files.

    trusted: roots, intermediates, and the authority's own where the token does not contain it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is deprecated in certificates
            return _checked(_decoded(response), signature, trusted)
    except BadSignature:
        raise
    except Exception as error:  # noqa: BLE001  # of libraries that parse on use, over any bytes
        raise BadSignature(f"the time stamp is malformed ({line_of(str(error), 100)})") from None


def _checked(token: TimeStampResponse, signature: bytes, trusted: Sequence[Certificate]) -> TimeStamp:
    from cryptography.x509 import load_der_x509_certificate
    from rfc3161_client import VerificationError, VerifierBuilder

    info = token.tst_info
    algorithm = _HASHES.get(info.message_imprint.hash_algorithm.dotted_string)
    if algorithm is None:
        raise BadSignature("the time stamp uses a hash that is not SHA-2")
    if info.message_imprint.message != hashlib.new(algorithm, signature).digest():
        raise BadSignature("the time stamp is of other bytes than this signature")
    embedded = [load_der_x509_certificate(content) for content in token.signed_data.certificates]
    authority = _authority(token, [*embedded, *trusted])
    name, at = _name(authority), info.gen_time.astimezone(UTC)
    if not authority.not_valid_before_utc <= at <= authority.not_valid_after_utc:
        raise BadSignature(
            f"the time stamp's time, {iso(at)}, is outside of the validity of the certificate of {name}"
        )
    own = None if authority in embedded else authority
    try:
        verifier = VerifierBuilder(roots=list(trusted), tsa_certificate=own).build()
        verifier.verify_message(token, signature)
    except (VerificationError, ValueError) as error:
        subjects = {certificate.subject for certificate in trusted}
        if any(certificate.issuer in subjects for certificate in embedded):
            why = _reason(error)
            raise BadSignature(f"the time stamp is not by {name}, which it names: {why}") from None
        return TimeStamp(iso(at), name, trusted=False)
    return TimeStamp(iso(at), name, trusted=True)


def _decoded(response: bytes) -> TimeStampResponse:
    """Raises BadSignature if the bytes are not a response with a token."""
    from rfc3161_client import decode_timestamp_response

    try:
        token = decode_timestamp_response(response)
        if token.status:
            said = line_of("; ".join([f"status {token.status}", *token.status_string]), 200)
            raise BadSignature(f"the authority refused ({said})")
        token.tst_info.gen_time  # noqa: B018  # parsed on use
    except (ValueError, TypeError, OverflowError) as error:
        why = line_of(str(error), 100)
        raise BadSignature(f"not a response in the format of RFC 3161 ({why})") from None
    return token


def _authority(token: TimeStampResponse, known: Sequence[Certificate]) -> Certificate:
    """The certificate of the one who signed the token."""
    signers = list(token.signed_data.signer_infos)
    if len(signers) != 1:
        raise BadSignature(f"the time stamp has {len(signers)} signatures instead of one")
    by = (signers[0].issuer, signers[0].serial_number)
    for certificate in known:
        if (certificate.issuer, certificate.serial_number) == by:
            return certificate
    raise BadSignature(
        "the time stamp lacks the certificate of its authority. If you have it, add it to the file of "
        "--timestamp-root"
    )


def _name(certificate: Certificate) -> str:
    from cryptography.x509.oid import NameOID

    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return line_of(str(names[0].value) if names else certificate.subject.rfc4514_string(), 100)


def _reason(error: Exception) -> str:
    text = str(error)
    if "ErrorStack" in text:  # OpenSSL's, with names of its source files
        return "its signature does not hold, or the certificates that vouch for the authority do not"
    return line_of(text, 100)


def iso(at: datetime) -> str:
    """A time in UTC, to the second."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _pem(path: Path) -> list[Certificate]:
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(read_regular(named_file(path), MOST_ROOT_BYTES))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read as certificates in PEM format: {error}") from None


def _usual() -> list[Certificate]:
    """The certificates of certifi, but for those that `cryptography` deprecates or does not accept."""
    from cryptography.x509 import load_pem_x509_certificate

    loaded, end = [], "-----END CERTIFICATE-----"
    for block in certifi.contents().split(end)[:-1]:
        with contextlib.suppress(ValueError, Warning), warnings.catch_warnings():
            warnings.simplefilter("error")
            loaded.append(load_pem_x509_certificate((block + end).encode()))
    return loaded


def _check_answer(content: bytes, request: TimeStampRequest) -> None:
    if _decoded(content).tst_info.nonce != request.nonce:
        raise BadSignature("it is the answer to another request (its nonce differs)")
