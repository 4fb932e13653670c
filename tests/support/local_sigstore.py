"""A sigstore instance on this machine: certificates for identities, logs of certificates and of signatures.

It stands for Fulcio (POST /api/v2/signingCert), Rekor (POST /api/v1/log/entries, or v2) and a time stamp
authority. Keys, certificates, proofs and signatures are real; tokens are signed by the instance's own
issuer. Each entry of the log is the second of two, so that its proof of inclusion has a node.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.support.certificates import Holder, builder, public_der, root
from tests.support.time_stamp_authority import Authority, send, serving

ISSUER = "https://accounts.local.test"
IDENTITY = "alice@example.org"
MINUTES = timedelta(minutes=10)
_SCT_LIST = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_ISSUER_OID = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_ISSUER_V2_OID = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.8")


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    return key.sign(data, ec.ECDSA(hashes.SHA256()))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes([size]) if size < 128 else b"\x81" + bytes([size])
    return bytes([tag]) + length + content


@dataclass
class Instance:
    """Keys and behaviour of an instance; the flags make it issue what must be refused."""

    fulcio: Holder = field(default_factory=lambda: root("Local Fulcio"))
    ct_key: ec.EllipticCurvePrivateKey = field(default_factory=_new_key)
    rekor_key: ec.EllipticCurvePrivateKey = field(default_factory=_new_key)
    oidc_key: ec.EllipticCurvePrivateKey = field(default_factory=_new_key)
    authority: Authority | None = None  # of time stamps
    rekor_version: int = 1
    with_sct: bool = True
    sct_key: ec.EllipticCurvePrivateKey | None = None  # None: the right one
    late: timedelta = timedelta()  # the log's time, after the present
    since: timedelta = timedelta()  # the begin of certificates, after the present
    status: int = 200  # of the answers of Fulcio
    url: str = ""
    entries: list[dict[str, Any]] = field(default_factory=list)  # what was sent to the log

    def token(self, identity: str = IDENTITY, **claims: Any) -> str:
        """An identity token of the instance's issuer."""
        now = int(datetime.now(UTC).timestamp())
        said = {"iss": ISSUER, "sub": identity, "aud": "sigstore", "iat": now, "exp": now + 600, **claims}
        return jwt.encode(said, self.oidc_key, algorithm="ES256")

    def certify(self, request: dict[str, str], token: str) -> x509.Certificate:
        """A certificate for the identity of a token."""
        claims = jwt.decode(token, self.oidc_key.public_key(), algorithms=["ES256"], audience="sigstore")
        csr = x509.load_pem_x509_csr(base64.b64decode(request["certificateSigningRequest"]))
        key, now = csr.public_key(), datetime.now(UTC).replace(microsecond=0) + self.since
        assert isinstance(key, ec.EllipticCurvePublicKey)
        own = self.fulcio.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        made = builder(x509.Name([]), self.fulcio.certificate.subject, key, now, now + MINUTES)
        made = (
            made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own), critical=False
            )
            .add_extension(x509.SubjectAlternativeName([x509.RFC822Name(claims["sub"])]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER_OID, claims["iss"].encode()), critical=False)
            .add_extension(
                x509.UnrecognizedExtension(_ISSUER_V2_OID, _der(12, claims["iss"].encode())), critical=False
            )
        )
        if not self.with_sct:
            return made.sign(self.fulcio.key, hashes.SHA256())
        promised = made.sign(self.fulcio.key, hashes.SHA256()).tbs_certificate_bytes
        value = _der(4, self._sct_list(promised, now))
        return made.add_extension(x509.UnrecognizedExtension(_SCT_LIST, value), critical=False).sign(
            self.fulcio.key, hashes.SHA256()
        )

    def _sct_list(self, tbs: bytes, now: datetime) -> bytes:
        """The log of certificates' signed promise (RFC 6962) to contain a certificate."""
        milliseconds = int(now.timestamp() * 1000)
        log = hashlib.sha256(public_der(self.ct_key)).digest()
        issuer = hashlib.sha256(public_der(self.fulcio.key)).digest()
        signed = struct.pack("!BBQH", 0, 0, milliseconds, 1) + issuer + len(tbs).to_bytes(3, "big") + tbs
        signature = _sign(self.sct_key or self.ct_key, signed + b"\0\0")
        head = b"\0" + log + struct.pack("!QH", milliseconds, 0)
        sct = head + b"\x04\x03" + struct.pack("!H", len(signature)) + signature
        return struct.pack("!HH", len(sct) + 2, len(sct)) + sct

    def record(self, proposed: dict[str, Any]) -> dict[str, Any]:
        """The log's answer to a proposed entry."""
        self.entries.append(proposed)
        at = int((datetime.now(UTC) + self.late).timestamp())
        body = self._body_v1(proposed) if self.rekor_version == 1 else self._body_v2(proposed)
        log = hashlib.sha256(public_der(self.rekor_key)).digest()
        first = hashlib.sha256(b"\0the first entry").digest()
        top = hashlib.sha256(b"\1" + first + hashlib.sha256(b"\0" + body).digest()).digest()
        note = f"log.local.test - 1\n2\n{_text(top)}\n"
        signed = f"\N{EM DASH} log.local.test {_text(log[:4] + _sign(self.rekor_key, note.encode()))}\n"
        checkpoint = f"{note}\n{signed}"
        if self.rekor_version == 2:
            proof = {"logIndex": "1", "rootHash": _text(top), "treeSize": "2", "hashes": [_text(first)]}
            return {
                "logIndex": "1",
                "logId": {"keyId": _text(log)},
                "kindVersion": {"kind": "hashedrekord", "version": "0.0.2"},
                "inclusionProof": {**proof, "checkpoint": {"envelope": checkpoint}},
                "canonicalizedBody": _text(body),
            }
        entry = {"body": _text(body), "integratedTime": at, "logID": log.hex(), "logIndex": 1}
        promise = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
        proof_v1 = {"logIndex": 1, "rootHash": top.hex(), "treeSize": 2, "hashes": [first.hex()]}
        verification = {
            "inclusionProof": {**proof_v1, "checkpoint": checkpoint},
            "signedEntryTimestamp": _text(_sign(self.rekor_key, promise)),
        }
        return {"0" * 64: {**entry, "verification": verification}}

    @staticmethod
    def _body_v1(proposed: dict[str, Any]) -> bytes:
        content = proposed["spec"]["proposedContent"]
        envelope = json.loads(content["envelope"])
        [verifier], [signature] = content["verifiers"], envelope["signatures"]

        def hashed(data: bytes) -> dict[str, str]:
            return {"algorithm": "sha256", "value": hashlib.sha256(data).hexdigest()}

        spec = {
            "envelopeHash": hashed(content["envelope"].encode()),
            "payloadHash": hashed(base64.b64decode(envelope["payload"])),
            "signatures": [{"signature": signature["sig"], "verifier": verifier}],
        }
        entry = {"apiVersion": "0.0.1", "kind": "dsse", "spec": spec}
        return json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()

    @staticmethod
    def _body_v2(proposed: dict[str, Any]) -> bytes:
        request = proposed["hashedRekordRequestV002"]
        data = {"algorithm": "SHA2_256", "digest": request["digest"]}
        spec = {"hashedRekordV002": {"data": data, "signature": request["signature"]}}
        entry = {"apiVersion": "0.0.2", "kind": "hashedrekord", "spec": spec}
        return json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()

    def trust_config(self) -> dict[str, Any]:
        """The file that makes a client use and trust this instance."""
        start = {"start": (datetime.now(UTC) - timedelta(days=1)).isoformat()}
        authorities = [[self.authority.own.der, self.authority.root.der]] if self.authority else []

        def service(path: str, version: int = 1) -> dict[str, Any]:
            url = f"{self.url}{path}"
            return {"url": url, "majorApiVersion": version, "validFor": start, "operator": "local"}

        def key(of: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
            public = public_der(of)
            details = {"keyDetails": "PKIX_ECDSA_P256_SHA_256", "validFor": start}
            return {
                "baseUrl": self.url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": {"rawBytes": _text(public), **details},
                "logId": {"keyId": _text(hashlib.sha256(public).digest())},
            }

        def chain(certificates: list[bytes]) -> dict[str, Any]:
            return {
                "subject": {"organization": "local", "commonName": "local"},
                "certChain": {"certificates": [{"rawBytes": _text(one)} for one in certificates]},
                "validFor": start,
            }

        return {
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "trustedRoot": {
                "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
                "tlogs": [key(self.rekor_key)],
                "certificateAuthorities": [chain([self.fulcio.der])],
                "ctlogs": [key(self.ct_key)],
                "timestampAuthorities": [chain(one) for one in authorities],
            },
            "signingConfig": {
                "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
                "caUrls": [service("")],
                "oidcUrls": [service("oidc")],
                "rekorTlogUrls": [service("", self.rekor_version)],
                "tsaUrls": [service("time")] if self.authority else [],
                "rekorTlogConfig": {"selector": "ANY"},
                "tsaConfig": {"selector": "ANY"},
            },
        }

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answers a request."""
        if handler.path == "/time" and self.authority:
            send(handler, self.authority.answer(body))
        elif handler.path == "/api/v2/signingCert":
            if self.status != 200:
                send(handler, b'{"message": "no certificates today"}', self.status)
                return
            token = handler.headers["Authorization"].removeprefix("Bearer ")
            made = self.certify(json.loads(body), token)
            pem = [made.public_bytes(serialization.Encoding.PEM), self.fulcio.pem]
            chain = {"certificates": [one.decode() for one in pem]}
            send(handler, json.dumps({"signedCertificateEmbeddedSct": {"chain": chain}}).encode())
        elif handler.path == f"/api/v{self.rekor_version}/log/entries":
            send(handler, json.dumps(self.record(json.loads(body))).encode(), 201)
        else:
            send(handler, b"{}", 404)


@contextmanager
def running(instance: Instance) -> Iterator[Instance]:
    """`instance`, reachable at its `url` until the block ends."""
    with serving(instance.answer) as service:
        instance.url = service.url
        yield instance
