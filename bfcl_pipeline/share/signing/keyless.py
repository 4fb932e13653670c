"""Signatures without a key of one's own: sigstore.

A sigstore instance confirms an identity, such as an email address or a workflow of GitHub, in a certificate
that is valid for minutes, and records the signature in a public log. Covers signing, for which the instance
is reached over the network, and checking, which is offline: with the roots that the library contains or has
fetched when it signed, or with the file of a private instance. All checks are made by the library, which is
the extra `sign` and loads in a second: `signed_line` imports this module where it is needed.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import requests
from cryptography.hazmat import asn1
from cryptography.x509 import (
    Certificate,
    ExtensionNotFound,
    ObjectIdentifier,
    RFC822Name,
    SubjectAlternativeName,
    UniformResourceIdentifier,
    UnrecognizedExtension,
)
from sigstore.dsse import Statement
from sigstore.errors import NetworkError, TUFError, VerificationError
from sigstore.models import Bundle, ClientTrustConfig, TrustedRoot
from sigstore.oidc import IdentityToken, Issuer, detect_credential
from sigstore.sign import SigningContext
from sigstore.verify import Verifier
from sigstore.verify.policy import Identity

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable, SigningError
from bfcl_pipeline.base.files import named_file, read_regular
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.share.signing.signature import (
    PAYLOAD_TYPE,
    CheckedSignature,
    SigningOptions,
    Trust,
)

TOKEN_VARIABLE = "SIGSTORE_ID_TOKEN"  # noqa: S105  # a name
"""The environment variable with an identity token."""

MOST_BYTES = 4 * 1024 * 1024
"""The largest file of a trust configuration or token that is read."""

_ISSUER = "1.3.6.1.4.1.57264.1.8"
_FORMER_ISSUER = "1.3.6.1.4.1.57264.1.1"
"""Extensions of a certificate with the URL of who confirmed the identity: as ASN.1 text, as plain text."""

_AUTHORITY = "the time stamp authority of the sigstore instance"


class _Anybody:
    """The policy of sigstore that accepts each identity: whose it is, is reported and compared later."""

    def verify(self, cert: Certificate) -> None:
        """Accepts the certificate."""


def check_files(options: SigningOptions) -> None:
    """Raises ConfigError if a file of the options is missing."""
    for file in (options.identity_token, options.trust_config):
        if file is not None and not file.is_file():
            raise ConfigError(f"{file}: no such file.")


def sign_keyless(payload: bytes, options: SigningOptions) -> bytes:
    """Signs a statement, and checks the signature as a verifier does.

    The identity comes from the file of the options, the variable SIGSTORE_ID_TOKEN, the CI service in which
    this runs, or a browser, in this order. It is published in the log of the instance, for ever. The log
    is sent the statement and publishes its hash.

    Returns:
        The sigstore bundle, as one line of JSON without a line feed.

    Raises:
        ConfigError: the file of the token or of the trust configuration cannot be read.
        SigningError: sigstore cannot be reached, or refuses, or there is no identity.
    """
    check_files(options)
    _keep_quiet()
    secret = ""
    try:
        config = _configuration(options.trust_config, offline=False)
        token = _identity(options.identity_token, config)
        secret = str(token)
        with SigningContext.from_trust_config(config).signer(token) as signer:
            bundle = signer.sign_dsse(Statement(payload))
        line = bundle.to_json().encode()
        _check(line, config.trusted_root)
    except (ConfigError, SigningError):
        raise
    except Exception as error:  # noqa: BLE001  # sigstore's, of its HTTP client, and of others' answers
        said = str(error) or type(error).__name__
        if secret:
            said = said.replace(secret, "...")
        raise SigningError(f"sigstore did not sign: {line_of(said)}{_hint(error)}") from None
    return line


def check_bundle(line: bytes, trust: Trust) -> CheckedSignature:
    """Checks a sigstore bundle, offline.

    The line is at most 1 MiB, a JSON object without duplicate names, and untrusted.

    Args:
        line: the bundle, as one line of JSON.
        trust: whose signatures are trusted. `principals` has the identity if it is that of `trust`.

    Raises:
        BadSignature: the bundle is malformed, or its signature does not hold.
        ConfigError: the trust configuration cannot be read, or an identity is given without its issuer.
        NotCheckable: the instance is not the one whose roots are known here.
    """
    if (trust.identity is None) != (trust.issuer is None):
        raise ConfigError(
            "An identity is known by its name and by who confirmed it: give --sigstore-identity and "
            "--sigstore-issuer together."
        )
    _keep_quiet()
    try:
        root = _configuration(trust.trust_config, offline=True).trusted_root
    except OSError as error:  # the library copies its roots to the user's cache
        raise NotCheckable(
            f"the folder of caches, where sigstore puts its keys, cannot be written ({error}). Set "
            "XDG_CACHE_HOME to one that can."
        ) from None
    bundle, payload = _check(line, root)
    certificate = bundle.signing_certificate
    principals, reason = _trusted(certificate, trust)
    identity, issuer = ", ".join(_identities(certificate)), _issuer(certificate)
    return CheckedSignature(payload, identity, issuer, principals, reason, *_time(bundle))


def _hint(error: Exception) -> str:
    """What to do about an error of the network."""
    if isinstance(error, (NetworkError, TUFError, requests.ConnectionError, requests.Timeout)):
        return ". Is there a network? An SSH key signs without one."
    return ""


def _keep_quiet() -> None:
    """The library logs warnings, such as that it is offline; Python prints what no logger handles."""
    logger = logging.getLogger("sigstore")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _configuration(file: Path | None, offline: bool) -> ClientTrustConfig:
    """Services and roots: of a private instance, or of the public one.

    offline: the roots are those that the library has; otherwise they are updated first.
    """
    if file is None:
        return ClientTrustConfig.production(offline=offline)
    try:
        return ClientTrustConfig.from_json(read_regular(named_file(file), MOST_BYTES).decode())
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{file}: not the trust configuration of a sigstore instance (a ClientTrustConfig in JSON): "
            f"{line_of(str(error), 200)}"
        ) from None


def _identity(file: Path | None, config: ClientTrustConfig) -> IdentityToken:
    if file is not None:
        try:
            raw: str | None = read_regular(named_file(file), MOST_BYTES).decode()
        except (OSError, ValueError) as error:
            raise ConfigError(f"{file}: cannot be read as an identity token: {error}") from None
    else:
        raw = os.environ.get(TOKEN_VARIABLE) or detect_credential()
    if raw:
        return IdentityToken(raw.strip())
    if not sys.stdin.isatty():
        raise SigningError(
            "There is no identity to sign with. In GitHub Actions, give the job `permissions: id-token: "
            f"write`; elsewhere, give an OIDC token with --identity-token FILE or in {TOKEN_VARIABLE}, or "
            "sign in a terminal, where a browser asks who you are."
        )
    return Issuer(config.signing_config.get_oidc_url()).identity_token()


def _check(line: bytes, root: TrustedRoot) -> tuple[Bundle, bytes]:
    """The bundle and the statement in it. Raises BadSignature or NotCheckable."""
    try:
        bundle = Bundle.from_json(line)
        issuer = bundle.signing_certificate.issuer
        if all(issuer != certificate.subject for certificate in root.get_fulcio_certs()):
            raise NotCheckable(
                f"its certificate is by {line_of(issuer.rfc4514_string(), 100)}, which is not of the "
                "sigstore instance whose keys are known here; --sigstore-trust-config names another's file."
            )
        kind, payload = Verifier(trusted_root=root).verify_dsse(bundle, _Anybody())
    except (BadSignature, NotCheckable):
        raise
    except Exception as error:  # noqa: BLE001  # parsers of several libraries, over any JSON
        said = str(error) or type(error).__name__
        raise BadSignature(f"the sigstore bundle does not hold: {line_of(said, 300)}") from None
    if kind != PAYLOAD_TYPE:
        raise BadSignature(f"its type is {line_of(kind, 100)!r}, not {PAYLOAD_TYPE!r}")
    return bundle, payload


def _trusted(certificate: Certificate, trust: Trust) -> tuple[tuple[str, ...], str]:
    """The identity of a certificate if it is trusted; else why it is not."""
    if trust.identity is None:
        return (), "an identity that you did not require; --sigstore-identity names the one that you trust"
    try:
        Identity(identity=trust.identity, issuer=trust.issuer).verify(certificate)
    except VerificationError:
        return (), f"not by {trust.identity}, confirmed by {trust.issuer}, as you require"
    return (trust.identity,), ""


def _identities(certificate: Certificate) -> Iterable[str]:
    names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    yield from names.get_values_for_type(RFC822Name)
    yield from names.get_values_for_type(UniformResourceIdentifier)


def _issuer(certificate: Certificate) -> str | None:
    for oid in (_ISSUER, _FORMER_ISSUER):
        try:
            value = certificate.extensions.get_extension_for_oid(ObjectIdentifier(oid)).value
        except ExtensionNotFound:
            continue
        if isinstance(value, UnrecognizedExtension):
            return asn1.decode_der(str, value.value) if oid == _ISSUER else value.value.decode()
    return None


def _time(bundle: Bundle) -> tuple[str | None, str]:
    """When it was signed, and who says so: the log, or else an authority of its instance.

    The library checked both: the log's time is signed together with its promise to include the entry, and
    without that, one time stamp in the bundle must hold; which of several did, it does not say.
    """
    (entry,) = json.loads(bundle.to_json())["verificationMaterial"]["tlogEntries"]
    if "integratedTime" in entry and "inclusionPromise" in entry:
        log = entry["inclusionProof"]["checkpoint"]["envelope"].partition("\n")[0].partition(" - ")[0]
        at = datetime.fromtimestamp(int(entry["integratedTime"]), UTC)
        return _iso(at), f"the log {line_of(log, 100)}"
    data = bundle.verification_material.timestamp_verification_data
    stamps = data.rfc3161_timestamps if data else []
    return (_iso(stamps[0].tst_info.gen_time), _AUTHORITY) if len(stamps) == 1 else (None, "")


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
