"""Certificates of local authorities: roots, time stamp authorities, issuers of short-lived certificates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Holder:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """The certificate."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def der(self) -> bytes:
        """The certificate."""
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def key_pem(self) -> bytes:
        """The private key."""
        encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(encoding, form, serialization.NoEncryption())


def public_der(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public key of `key`, as certificates contain it."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.DER, form)


def named(name: str) -> x509.Name:
    """A subject with a common name."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    start: datetime,
    end: datetime,
    authority: bool = False,
) -> x509.CertificateBuilder:
    """A certificate to be signed: for signatures, or of an authority."""
    usage = x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def root(name: str) -> Holder:
    """A certificate that vouches for itself and for others."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    made = builder(
        named(name), named(name), key.public_key(), now - 60 * DAY, now + 60 * DAY, authority=True
    )
    return Holder(made.sign(key, hashes.SHA256()), key)


def signed_by(issuer: Holder, name: str, purposes: Sequence[x509.ObjectIdentifier]) -> Holder:
    """A certificate for `purposes`, critical, valid for a day around now."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    made = builder(named(name), issuer.certificate.subject, key.public_key(), now - DAY, now + DAY)
    made = made.add_extension(x509.ExtendedKeyUsage(purposes), critical=True)
    return Holder(made.sign(issuer.key, hashes.SHA256()), key)
