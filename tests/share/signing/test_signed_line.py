"""Signed lines: a changed one, or one for another purpose, does not hold; hostile lines are refused."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.signer import Signature

from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.base.strict_json import canonical
from bfcl_pipeline.share.signing.signature import PAYLOAD_TYPE, SigningOptions, Trust
from bfcl_pipeline.share.signing.signed_line import check_line, payload_of, sign_statement, signing_key_of
from tests.share.signing.conftest import PAYLOAD
from tests.support.ssh_keys import allow, fingerprint, needs_ssh

pytestmark = needs_ssh
Keys = tuple[Path, Path]


def changed(line: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(line)
    change(document)
    return canonical(document)


def test_a_signed_statement_is_checked(line: bytes, keys: Keys, tmp_path: Path) -> None:
    """Its payload, its key and, with a file of signers, its owner. The key that it names replaces it."""
    unknown = check_line(line, Trust())
    assert (unknown.payload, unknown.identity) == (PAYLOAD, fingerprint(keys[0]))
    assert unknown.principals == ()
    signers = allow(tmp_path / "signers", ("bob@example.org", keys[1]), ("alice@example.org", keys[0]))
    assert check_line(line, Trust(signers)).principals == ("alice@example.org",)
    assert signing_key_of(line) == fingerprint(keys[0])
    assert payload_of(line) == PAYLOAD
    assert sign_statement(PAYLOAD, SigningOptions(key=keys[0])) == line  # ed25519: the same bytes


def test_any_changed_character_is_found(line: bytes) -> None:
    """In the payload, the type, the key or the signature: the line is never taken for a valid one."""
    for place in range(0, len(line), 7):
        other = bytes([line[place] ^ 1])
        if other in b"\n\r":
            continue
        with pytest.raises(BadSignature):
            check_line(line[:place] + other + line[place + 1 :], Trust())


def sign_for(namespace: str, key: Path, folder: Path) -> bytes:
    """A line whose signature is right but for another namespace."""
    envelope = Envelope(PAYLOAD, PAYLOAD_TYPE, {})
    message = folder / "message"
    message.write_bytes(envelope.pae())
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key), str(message)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    body = (folder / "message.sig").read_text().splitlines()[1:-1]
    keyid = fingerprint(key)
    envelope.signatures[keyid] = Signature(keyid, base64.b64decode("".join(body)).hex())
    return canonical(envelope.to_dict())


def test_a_signature_for_another_purpose_does_not_count(keys: Keys, tmp_path: Path) -> None:
    """Such as that of a git commit."""
    with pytest.raises(BadSignature, match="namespace does not match"):
        check_line(sign_for("git", keys[0], tmp_path), Trust())


def test_a_signature_of_another_key_is_told(line: bytes, keys: Keys) -> None:
    other = json.loads(sign_statement(PAYLOAD, SigningOptions(key=keys[1])))["signatures"][0]
    for field in ("keyid", "sig"):

        def swap(document: dict[str, Any], field: str = field) -> None:
            document["signatures"][0][field] = other[field]

        with pytest.raises(BadSignature, match=r"made by the key SHA256:.*, not by SHA256:"):
            check_line(changed(line, swap), Trust())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ('valid-before="20200101"', "key has expired"),
        ('valid-after="20990101"', "key is not yet valid"),
        ('namespaces="git,file"', "key is not permitted for use in signature namespace"),
    ],
)
def test_a_key_that_is_not_allowed_is_unknown(
    options: str, reason: str, line: bytes, keys: Keys, tmp_path: Path
) -> None:
    """Expired, not valid yet, or for other purposes: the reason has the line of the file."""
    signers = allow(tmp_path / "signers", ("alice@example.org", keys[0]), options=options)
    signer = check_line(line, Trust(signers))
    assert signer.principals == ()
    assert f"line 1: {reason}" in signer.reason


def test_a_swapped_key_in_the_file_of_signers_is_told(line: bytes, keys: Keys, tmp_path: Path) -> None:
    """Bob's key under Alice's name: her signature is of a key that is not in the file."""
    signers = allow(tmp_path / "signers", ("alice@example.org", keys[1]))
    signer = check_line(line, Trust(signers))
    assert (signer.principals, signer.reason) == ((), f"which is not in {signers}")


def _with(**fields: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(fields)


def _signature(**fields: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["signatures"][0].update(fields)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            lambda it: it["signatures"].append({**it["signatures"][0], "keyid": "SHA256:other"}),
            "2 signatures",
        ),
        (lambda it: it.update(signatures=it["signatures"] * 2), "it has 2 signatures"),
        (_with(signatures=[]), "it has 0 signatures"),
        (_with(signatures={}), "it has no signatures"),
        (_with(signatures=[7]), "fields keyid and sig"),
        (_with(payloadType="text/plain"), "its type is 'text/plain'"),
        (_with(payloadType=["x"]), "its type is"),
        (_with(payload=7), "not a text"),
        (_with(payload="%%%"), "not base64"),
        (_with(extra=1), "neither an envelope nor a sigstore bundle"),
        (_signature(sig="%"), "not base64"),
        (_signature(sig=None), "not a text"),
        (_signature(sig=""), "does not hold"),
        (_signature(sig=base64.b64encode(bytes(1 << 17)).decode()), "a signature of 131,072 bytes"),
        (_signature(cert="x"), "fields keyid and sig"),
        (_signature(keyid="-f/etc/passwd"), "its keyid is not the fingerprint of an SSH key"),
        (_signature(keyid="x" * 500_000), "its keyid is not the fingerprint of an SSH key"),
        (_signature(rfc3161="AAAA"), "does not have exactly the fields keyid and sig"),
    ],
)
def test_a_malformed_envelope_is_refused(
    change: Callable[[dict[str, Any]], None], what: str, line: bytes
) -> None:
    with pytest.raises(BadSignature, match=what):
        check_line(changed(line, change), Trust())


def test_garbage_is_refused() -> None:
    texts = [b"", b"\xff\xfe", b"null", b"[]", b"{}", b'"x"', b'{"a":NaN}', b'{"a":1,"a":1}']
    for garbage in (*texts, b"[" * 200_000, b"1" * 5000):
        for read in (lambda line: check_line(line, Trust()), payload_of):
            with pytest.raises(BadSignature):
                read(garbage)
        assert signing_key_of(garbage) is None


def test_a_truncated_line_is_refused(line: bytes) -> None:
    for length in range(0, len(line), 25):
        with pytest.raises(BadSignature, match="not JSON, or truncated"):
            check_line(line[:length], Trust())
