"""Sigstore: signed by a local instance, checked offline, and every part of a bundle changed."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self, TypeAlias

import pytest

pytest.importorskip("sigstore.sign")

import sigstore.sign
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from bfcl_pipeline.base.errors import BadSignature, ConfigError, NotCheckable, SigningError
from bfcl_pipeline.share import signing
from bfcl_pipeline.share.signing import keyless
from bfcl_pipeline.share.signing.keyless import check_bundle, sign_keyless
from bfcl_pipeline.share.signing.signature import SigningOptions, Trust
from bfcl_pipeline.share.signing.signed_line import check_line, sign_statement
from tests.support.certificates import builder, root
from tests.support.local_sigstore import IDENTITY, ISSUER, MINUTES, Instance, running
from tests.support.offline import offline, refused
from tests.support.time_stamp_authority import HAS_OPENSSL, Authority, send, serving

STATEMENT = json.dumps(
    {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "run.crate.zip", "digest": {"sha256": "5" * 64}}],
        "predicateType": "urn:example",
        "predicate": {"overall": 0.5},
    }
).encode()


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The library's caches are those of these tests, which run in no CI service and in no terminal."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(tmp_path_factory.getbasetemp() / "home"))
        for name in ("GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "BUILDKITE", "SIGSTORE_ID_TOKEN"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stdin", io.StringIO())
        yield


class Signing:
    """An instance, the file that names it, and what it signs."""

    def __init__(self, instance: Instance, folder: Path) -> None:
        self.instance, self.folder = instance, folder
        self.config, self.token = folder / "config.json", folder / "token"
        self.write_config()

    def write_config(self) -> None:
        self.config.write_text(json.dumps(self.instance.trust_config()))

    def sign(self, identity: str = IDENTITY, payload: bytes = STATEMENT) -> bytes:
        self.token.write_text(self.instance.token(identity))
        return sign_keyless(payload, SigningOptions(None, self.token, self.config))

    def trust(self, identity: str | None = IDENTITY, issuer: str | None = ISSUER) -> Trust:
        return Trust(None, identity, issuer, self.config)

    def refused(self, line: bytes) -> str:
        with pytest.raises(BadSignature) as error:
            check_bundle(line, self.trust())
        return str(error.value)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Signing]:
    with running(Instance()) as instance:
        yield Signing(instance, tmp_path)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    """An instance that no test changes."""
    with running(Instance()) as instance:
        yield Signing(instance, tmp_path_factory.mktemp("lasting"))


@pytest.fixture(scope="module")
def theirs(lasting: Signing) -> bytes:
    return lasting.sign("mallory@example.org")


@pytest.fixture(scope="module")
def line(lasting: Signing, theirs: bytes) -> bytes:
    """The bundle of the trusted identity, made while the certificate of the other one is valid."""
    return lasting.sign()


@pytest.fixture(scope="module")
def stamped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    """An instance with a time stamp authority and the second version of the log, which has no clock."""
    if not HAS_OPENSSL:
        pytest.skip("openssl makes the time stamps")
    folder = tmp_path_factory.mktemp("stamped")
    with running(Instance(authority=Authority(folder / "authority"), rekor_version=2)) as instance:
        yield Signing(instance, folder)


def test_signed_and_checked(lasting: Signing, line: bytes) -> None:
    """A bundle is one line; its check returns statement, identity, issuer and the log's time."""
    assert b"\n" not in line
    checked = check_bundle(line, lasting.trust())
    assert (checked.payload, checked.identity, checked.issuer) == (STATEMENT, IDENTITY, ISSUER)
    assert (checked.principals, checked.authority) == ((IDENTITY,), "the log log.local.test")
    assert checked.time is not None
    age = datetime.now(UTC) - datetime.fromisoformat(checked.time)
    assert timedelta() <= age < timedelta(minutes=5)


def test_time_of_an_authority(stamped: Signing) -> None:
    """Where the log has no clock, the time is that of the time stamp in the bundle."""
    checked = check_bundle(stamped.sign(), stamped.trust())
    assert checked.payload == STATEMENT
    assert checked.time is not None
    assert checked.authority == "the time stamp authority of the sigstore instance"


def test_identity(lasting: Signing, line: bytes) -> None:
    """A signer is trusted if the name and the issuer are those that the verifier requires."""
    for identity, issuer, why in (
        (None, None, "did not require"),
        *(
            (name, by, f"not by {name}, confirmed by {by}")
            for name, by in (("bob@example.org", ISSUER), (IDENTITY, "https://elsewhere.test"))
        ),
    ):
        signer = check_bundle(line, lasting.trust(identity, issuer))
        assert (signer.identity, signer.issuer, signer.principals) == (IDENTITY, ISSUER, ())
        assert why in signer.reason
    for identity, issuer in ((IDENTITY, None), (None, ISSUER)):
        with pytest.raises(ConfigError, match="together"):
            check_bundle(line, lasting.trust(identity, issuer))


def test_another_instance(lasting: Signing, line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate of an unknown instance is not checked, nor called wrong; nor without public keys."""
    with pytest.raises(NotCheckable, match=r"CN=Local Fulcio.*--sigstore-trust-config"):
        check_bundle(line, Trust())
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    with pytest.raises(NotCheckable, match="Set XDG_CACHE_HOME"):
        check_bundle(line, Trust())
    assert check_bundle(line, lasting.trust()).principals


Change: TypeAlias = Callable[[Any, Any], None]
"""A change of a bundle, which may take parts of another valid one, by another identity."""


def _put(*place: str | int, value: Any) -> Change:
    """Another value at a place, or what a function makes of the old one."""

    def change(document: Any, _theirs: Any) -> None:
        *path, last = place
        for name in path:
            document = document[name]
        document[last] = value(document[last]) if callable(value) else value

    return change


def _take(*place: str) -> Change:
    return lambda ours, theirs: _put(*place, value=_at(theirs, place))(ours, theirs)


def _at(document: Any, place: Sequence[str]) -> Any:
    for name in place:
        document = document[name]
    return document


def _delete(*place: str | int) -> Change:
    *path, last = place
    return _put(*path, value=lambda old: {name: item for name, item in old.items() if name != last})


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _only_a_public_key(document: Any, _theirs: Any) -> None:
    del document["verificationMaterial"]["certificate"]
    document["verificationMaterial"]["publicKey"] = {"hint": IDENTITY}


def _signature_of_a_file(document: Any, _theirs: Any) -> None:
    document["messageSignature"] = {
        "messageDigest": {"algorithm": "SHA2_256", "digest": _text(bytes(32))},
        "signature": document.pop("dsseEnvelope")["signatures"][0]["sig"],
    }


def _forgers_certificate(_old: Any) -> dict[str, str]:
    """The certificate of a forger's own instance, under the same names, for the same identity."""
    now = datetime.now(UTC).replace(microsecond=0)
    forger = root("Local Fulcio")
    made = builder(x509.Name([]), forger.certificate.subject, forger.key.public_key(), now, now + MINUTES)
    names = x509.SubjectAlternativeName([x509.RFC822Name(IDENTITY)])
    raw = made.add_extension(names, critical=True).sign(forger.key, hashes.SHA256())
    return {"rawBytes": _text(raw.public_bytes(serialization.Encoding.DER))}


def _other_body(body: str) -> str:
    return _text(base64.b64decode(body).replace(b"sha256", b"sha512", 1))


ENVELOPE, MATERIAL = "dsseEnvelope", "verificationMaterial"
ENTRY = (MATERIAL, "tlogEntries", 0)
PROOF = (*ENTRY, "inclusionProof")
HOLDS_NOT, NO_SIGNATURE, NO_PROMISE = "does not hold", "invalid signature", "inclusion promise"
NO_ENTRY = "invalid log entry"
FORGERIES: Mapping[str, tuple[Change, str]] = {
    "another statement": (
        _put(ENVELOPE, "payload", value=_text(STATEMENT.replace(b"0.5", b"0.9"))), NO_SIGNATURE,
    ),
    "another type": (_put(ENVELOPE, "payloadType", value="text/plain"), NO_SIGNATURE),
    "two signatures": (_put(ENVELOPE, "signatures", value=lambda old: old * 2), "exactly one signature"),
    "certificate and entry of another bundle": (_take(MATERIAL), HOLDS_NOT),
    "envelope of another bundle": (_take(ENVELOPE), HOLDS_NOT),
    "certificate of another identity": (_take(MATERIAL, "certificate"), NO_SIGNATURE),
    "another index": (_put(*ENTRY, "logIndex", value="7"), NO_PROMISE),
    "another time": (_put(*ENTRY, "integratedTime", value="1"), "certificate"),
    "another body": (_put(*ENTRY, "canonicalizedBody", value=_other_body), "inclusion proof"),
    "another promise": (
        _put(*ENTRY, "inclusionPromise", value={"signedEntryTimestamp": "AAAA"}), NO_PROMISE,
    ),
    "another root": (_put(*PROOF, "rootHash", value=_text(bytes(32))), NO_ENTRY),
    "other hashes": (_put(*PROOF, "hashes", value=[_text(bytes(32))]), NO_ENTRY),
    "another size of the log": (_put(*PROOF, "treeSize", value="3"), NO_ENTRY),
    "another checkpoint": (
        _put(*PROOF, "checkpoint", "envelope", value=lambda old: old.replace("\n2\n", "\n3\n")), NO_ENTRY,
    ),
    "no entry": (_put(MATERIAL, "tlogEntries", value=[]), HOLDS_NOT),
    "two entries": (_put(MATERIAL, "tlogEntries", value=lambda old: old * 2), HOLDS_NOT),
    "a time without its promise": (_delete(*ENTRY, "inclusionPromise"), HOLDS_NOT),
    "a public key alone": (_only_a_public_key, HOLDS_NOT),
    "the signature of a file": (_signature_of_a_file, HOLDS_NOT),
    "the certificate of a forger": (
        _put(MATERIAL, "certificate", value=_forgers_certificate), HOLDS_NOT,
    ),
}  # fmt: skip
"""Each change of a valid bundle, and the words of its refusal."""


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_changed_bundle_is_refused(lasting: Signing, line: bytes, theirs: bytes, forgery: str) -> None:
    """Every part of it is covered by a signature, of the signer or of a log; nothing may lack."""
    change, refusal = FORGERIES[forgery]
    document = json.loads(line)
    change(document, json.loads(theirs))
    assert refusal in lasting.refused(json.dumps(document).encode())


OTHERS: Mapping[str, tuple[Callable[[Instance], Mapping[str, Any]], bool, str]] = {
    "a certificate that no log promises to contain": (lambda of: {"with_sct": False}, True, "SCT"),
    "that promise by another key": (lambda of: {"sct_key": of.rekor_key}, True, "SCT"),
    "an entry after the certificate": (lambda of: {"late": timedelta(hours=1)}, True, "certificate"),
    "an entry before the certificate": (lambda of: {"late": timedelta(hours=-1)}, True, "certificate"),
    "a log of another key": (lambda of: {"rekor_key": of.ct_key}, False, NO_ENTRY),
    "another instance of its name": (
        lambda of: {"fulcio": root("Local Fulcio")}, False, "certificate chain",
    ),
}  # fmt: skip
"""What is wrong with an instance, whether it is when it signs or else in what a verifier knows of it, and
the words of the refusal."""


@pytest.mark.parametrize("case", OTHERS)
def test_a_bundle_of_a_wrong_instance_is_refused(
    local: Signing, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the verifier, whatever the signer does; a signer who takes care notices it."""
    flaws, when_signing, refusal = OTHERS[case]
    line = local.sign()
    for name, value in flaws(local.instance).items():
        setattr(local.instance, name, value)
    local.write_config()
    if when_signing:
        with pytest.raises(SigningError, match=r"^sigstore did not sign: "):
            local.sign()
        monkeypatch.setattr(sigstore.sign, "verify_sct", lambda *_: None)
        monkeypatch.setattr(keyless, "_check", lambda line, root: None)
        line = local.sign()
        monkeypatch.undo()
    assert refusal in local.refused(line)


class _AnHourAgo(datetime):
    """The clock of a signer while a certificate that has expired since was valid."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - timedelta(hours=1)


def test_expired_certificate(local: Signing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate of ten minutes that has expired since is valid; one that had at its use is not."""
    local.instance.since = timedelta(hours=-1)
    with monkeypatch.context() as careless:
        careless.setattr(keyless, "_check", lambda line, root: None)
        careless.setattr(sigstore.sign, "datetime", _AnHourAgo)
        local.instance.late = timedelta(minutes=-55)
        early = local.sign()
        local.instance.late = timedelta(minutes=-45)
        late = local.sign()
    assert check_bundle(early, local.trust()).principals == (IDENTITY,)
    assert "certificate" in local.refused(late)


def test_a_time_stamp_that_is_not_of_the_signature_is_refused(stamped: Signing) -> None:
    """Where the log has no clock, there is then no time at all."""
    documents = [json.loads(stamped.sign()) for _ in range(2)]
    ours, theirs = (one[MATERIAL]["timestampVerificationData"]["rfc3161Timestamps"] for one in documents)
    edited = bytearray(base64.b64decode(ours[0]["signedTimestamp"]))
    edited[-5] ^= 1
    for stamp in (_text(edited), theirs[0]["signedTimestamp"]):
        ours[0]["signedTimestamp"] = stamp
        assert "verified time" in stamped.refused(json.dumps(documents[0]).encode())


def test_no_byte_matters_unnoticed(stamped: Signing) -> None:
    """A changed byte anywhere leaves a bundle as it was, or makes it one that is refused or unknown."""
    line, chance, told = stamped.sign(), random.Random(7), 0
    valid = check_bundle(line, stamped.trust())
    for _ in range(400):
        edited, place = bytearray(line), chance.randrange(len(line))
        edited[place] ^= 1 << chance.randrange(8)
        try:
            checked = check_bundle(bytes(edited), stamped.trust())
        except (BadSignature, NotCheckable):
            told += 1
        else:
            assert checked == valid
    assert told > 350


def test_what_is_not_a_bundle_is_refused(lasting: Signing) -> None:
    for garbage in (b"{}", b"[]", b"null", b'{"mediaType": 3}', b"\xff", b"[" * 100_000):
        assert "does not hold" in lasting.refused(garbage)


def test_refusal(local: Signing) -> None:
    """What an instance refuses is reported; the token is not."""
    local.instance.status = 403
    with pytest.raises(SigningError, match="sigstore did not sign") as error:
        local.sign()
    assert local.token.read_text() not in str(error.value)
    assert local.token.read_text().split(".")[1] not in str(error.value)


def test_no_instance(local: Signing) -> None:
    with running(Instance()) as gone:
        local.instance.url = gone.url
    local.write_config()
    with pytest.raises(SigningError, match="An SSH key signs without one"):
        local.sign()


def test_unusable_token(local: Signing) -> None:
    """A token that is malformed, expired, or no file is reported, and nothing is sent."""
    for token in ("", "not.a.token", local.instance.token(exp=1000)):
        local.token.write_text(token)
        with pytest.raises(SigningError, match=r"[Ii]dentity"):
            sign_keyless(STATEMENT, SigningOptions(None, local.token, local.config))
    with pytest.raises(ConfigError, match="missing: no such file"):
        sign_keyless(STATEMENT, SigningOptions(None, local.folder / "missing", local.config))
    assert not local.instance.entries


def test_token_of_the_environment(local: Signing, monkeypatch: pytest.MonkeyPatch) -> None:
    """An identity token may be in a variable; without one, what to do is reported."""
    with pytest.raises(SigningError, match="permissions: id-token: write"):
        sign_keyless(STATEMENT, SigningOptions(None, None, local.config))
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", local.instance.token("ci@example.org"))
    line = sign_keyless(STATEMENT, SigningOptions(None, None, local.config))
    assert check_bundle(line, local.trust()).identity == "ci@example.org"


def test_github_actions(local: Signing, monkeypatch: pytest.MonkeyPatch) -> None:
    """In GitHub Actions, the identity is the one that the service gives to the job."""
    seen = []

    def reply(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.append((handler.path, handler.headers["Authorization"]))
        send(handler, json.dumps({"value": local.instance.token("repo:me/evaluation")}).encode())

    with serving(reply) as service:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of-the-job")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{service.url}token?version=1")
        line = sign_keyless(STATEMENT, SigningOptions(None, None, local.config))
    assert check_bundle(line, local.trust()).identity == "repo:me/evaluation"
    assert seen == [("/token?version=1&audience=sigstore", "bearer of-the-job")]


def test_wrong_files(line: bytes, tmp_path: Path) -> None:
    """A file that is not a trust configuration, or not there, is an error of the command line."""
    config = tmp_path / "config.json"
    with pytest.raises(ConfigError, match=r"config\.json: .*No such file"):
        check_bundle(line, Trust(trust_config=config))
    for content in ("", "{}", '{"mediaType": "x"}'):
        config.write_text(content)
        with pytest.raises(ConfigError, match=r"config\.json"):
            check_bundle(line, Trust(trust_config=config))


def test_not_installed(lasting: Signing, line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, what to install is reported, by the one who signs and by the one who checks."""
    monkeypatch.delitem(sys.modules, keyless.__name__)
    monkeypatch.delattr(signing, "keyless")
    monkeypatch.setitem(sys.modules, "sigstore.sign", None)
    with pytest.raises(SigningError, match=r"pip install 'bfcl-pipeline\[sign\]'"):
        sign_statement(STATEMENT, SigningOptions(None, lasting.token, lasting.config))
    with pytest.raises(NotCheckable, match=r"pip install 'bfcl-pipeline\[sign\]'"):
        check_line(line, lasting.trust())


_CHECK = """
import sys
from pathlib import Path
from bfcl_pipeline.base.errors import NotCheckable
from bfcl_pipeline.share.signing.keyless import check_bundle
from bfcl_pipeline.share.signing.signature import Trust

line, config, identity, issuer = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), *sys.argv[3:]
print(check_bundle(line, Trust(None, identity, issuer, config)).principals)
try:
    check_bundle(line, Trust())
except NotCheckable:
    print("not of the public instance")
"""


def test_offline(stamped: Signing, tmp_path: Path) -> None:
    """A check sends nothing and looks no name up, with a private instance and with the public one."""
    bundle = tmp_path / "bundle"
    bundle.write_bytes(stamped.sign())
    command = [sys.executable, "-c", _CHECK, bundle, stamped.config, IDENTITY, ISSUER]
    done = subprocess.run(command, env=offline(tmp_path / "site"), capture_output=True, text=True)
    assert refused(done.stderr) == []
    assert done.stdout.splitlines() == [f"('{IDENTITY}',)", "not of the public instance"]
    assert not done.stderr.replace("OFFLINE: socket.bind (('::1', 0),)", "").strip()
    assert done.returncode == 0
