"""One signed statement as a line of JSON: an envelope (DSSE) by an SSH key, or a sigstore bundle."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NoReturn

from securesystemslib.dsse import Envelope
from securesystemslib.signer import Signature

from bfcl_pipeline.base.errors import BadSignature, NotCheckable, PipelineError, SigningError
from bfcl_pipeline.base.strict_json import canonical, read_strictly
from bfcl_pipeline.share.signing import ssh_keygen
from bfcl_pipeline.share.signing.signature import (
    PAYLOAD_TYPE,
    CheckedSignature,
    SigningOptions,
    Trust,
)

_BUNDLE = "application/vnd.dev.sigstore.bundle"
_ENVELOPE_FIELDS = {"payload", "payloadType", "signatures"}
_SIGNATURE_FIELDS = {"keyid", "sig"}
_SHOWN = 100  # characters of an unknown type


def check_ready(options: SigningOptions) -> None:
    """Raises SigningError or ConfigError if it is known already that nothing can be signed so."""
    if options.key is None:
        _keyless(SigningError).check_files(options)
    else:
        ssh_keygen.check_ready(options.key)


def sign_statement(payload: bytes, options: SigningOptions) -> bytes:
    """Signs a statement as the options demand: with a key, or with sigstore.

    Returns:
        The line, without a line feed.

    Raises:
        SigningError: it could not be signed.
    """
    if options.key is None:
        line: bytes = _keyless(SigningError).sign_keyless(payload, options)
        return line
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    made = ssh_keygen.sign(envelope.pae(), options.key)
    key = ssh_keygen.signing_key(envelope.pae(), made)  # checks it, too
    envelope.signatures[key] = Signature(key, made.hex())
    return canonical(envelope.to_dict())


def _keyless(missing: type[PipelineError]) -> ModuleType:
    """What signs and checks by sigstore. Raises `missing` if the library is not installed."""
    try:
        from bfcl_pipeline.share.signing import keyless  # an optional library, and slow
    except ImportError:
        raise missing("the package sigstore is not installed: pip install 'bfcl-pipeline[sign]'") from None
    return keyless


def signing_key_of(line: bytes) -> str | None:
    """The id of the key that a line names, unchecked; None for a sigstore bundle or a malformed line."""
    try:
        document = _document(line)
        if _is_bundle(document):
            return None
        (signature,) = _envelope(document).signatures.values()
    except BadSignature:
        return None
    return signature.keyid


def payload_of(line: bytes) -> bytes:
    """The statement that a line is about, unchecked. Raises BadSignature if the line is malformed."""
    document = _document(line)
    envelope = document.get("dsseEnvelope") if _is_bundle(document) else document
    payload = envelope.get("payload") if isinstance(envelope, dict) else None
    try:
        return base64.b64decode(payload if isinstance(payload, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        _reject("it has no payload")


def check_line(line: bytes, trust: Trust) -> CheckedSignature:
    """Checks a signed statement, offline; what it states is not checked.

    Raises:
        BadSignature: the line is malformed, or its signature does not hold.
        NotCheckable: a program or package that the check needs is missing here.
    """
    document = _document(line)
    if _is_bundle(document):
        found: CheckedSignature = _keyless(NotCheckable).check_bundle(line, trust)
        return found
    envelope = _envelope(document)
    (signature,) = envelope.signatures.values()
    signed, made = envelope.pae(), bytes.fromhex(signature.signature)
    if len(made) > ssh_keygen.SIGNATURE_BYTES:
        _reject(f"a signature of {len(made):,} bytes")
    try:
        made_by = ssh_keygen.signing_key(signed, made)
    except BadSignature as error:
        raise BadSignature(f"the signature does not hold: {error}") from error
    if made_by != signature.keyid:
        _reject(f"the signature does not hold: made by the key {made_by}, not by {signature.keyid}")
    names: list[str] = []
    reason = "whose owner is not known here; --signers names the keys that you trust"
    if trust.signers is not None:
        names, reason = ssh_keygen.owners(signed, made, trust.signers)
    return CheckedSignature(envelope.payload, signature.keyid, principals=tuple(names), reason=reason)


def _document(line: bytes) -> dict[str, Any]:
    try:
        document = read_strictly(line)
    except ValueError as error:
        raise BadSignature(f"not JSON, or truncated ({error})") from error
    if not isinstance(document, dict):
        _reject(f"neither an envelope nor a sigstore bundle, but {type(document).__name__}")
    return document


def _is_bundle(document: Mapping[str, Any]) -> bool:
    return str(document.get("mediaType", "")).startswith(_BUNDLE)


def _envelope(document: dict[str, Any]) -> Envelope:
    """The envelope, with exactly one signature and one payload type."""
    if set(document) != _ENVELOPE_FIELDS:
        _reject(f"neither an envelope nor a sigstore bundle: its fields are {_listed(document)}")
    if document["payloadType"] != PAYLOAD_TYPE:
        _reject(f"its type is {str(document['payloadType'])[:_SHOWN]!r}, not {PAYLOAD_TYPE!r}")
    signatures = document["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1:
        count = len(signatures) if isinstance(signatures, list) else "no"
        _reject(f"it has {count} signatures; each line has one")
    fields = signatures[0]
    if not isinstance(fields, dict) or set(fields) != _SIGNATURE_FIELDS:
        _reject("its signature does not have exactly the fields keyid and sig")
    if not all(isinstance(value, str) for value in (document["payload"], *fields.values())):
        _reject("a field that is not a text")
    if not ssh_keygen.FINGERPRINT.fullmatch(fields["keyid"]):
        _reject("its keyid is not the fingerprint of an SSH key")
    try:
        return Envelope.from_dict({**document, "signatures": [dict(fields)]})
    except (binascii.Error, ValueError) as error:
        raise BadSignature(f"a field that is not base64 ({error})") from error


def _listed(document: Mapping[str, Any]) -> str:
    return ", ".join(sorted(document))[:_SHOWN] or "none"


def _reject(what: str) -> NoReturn:
    raise BadSignature(what)
