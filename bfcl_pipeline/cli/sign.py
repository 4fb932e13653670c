"""`bfcl-pipeline sign`: add a signed statement to an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.cli.runs import ARCHIVE_HELP, archive_file
from bfcl_pipeline.share.archive.attestations import AttestationOptions, SignedArchive, sign_archive
from bfcl_pipeline.share.signing.signature import SigningOptions, Trust


def add_signing(parser: argparse.ArgumentParser, key: str) -> None:
    """Options about how to sign. key: the name of the option for an SSH key."""
    group = parser.add_argument_group("signing")
    about = "sign with this SSH key: the private key, or the public one if an agent has the private one"
    group.add_argument(key, dest="signing_key", type=Path, metavar="KEY", help=about)
    about = "sign with an identity instead of a key, by sigstore"
    group.add_argument("--sigstore", action="store_true", help=about)
    about = "sigstore: the identity, as an OIDC token"
    group.add_argument("--identity-token", type=Path, metavar="FILE", help=about)
    _add_trust_config(group)


def signing(options: argparse.Namespace) -> SigningOptions | None:
    """How to sign; None if no option asks for a signature. Raises ConfigError if options contradict."""
    if options.signing_key and options.sigstore:
        raise ConfigError(
            "sign with an SSH key or with sigstore; for both, use `bfcl-pipeline sign` twice."
        )
    if not options.signing_key and not options.sigstore:
        if options.identity_token or options.sigstore_trust_config:
            raise ConfigError("name an SSH key to sign with, or --sigstore.")
        return None
    return SigningOptions(options.signing_key, options.identity_token, options.sigstore_trust_config)


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Options about whose signed statements count."""
    group = parser.add_argument_group("signed statements")
    about = (
        "the SSH public key that you trust, or several with their owners, in the format of OpenSSH's "
        "allowed_signers"
    )
    group.add_argument("--signers", type=Path, metavar="FILE", help=about)
    about = "the statements (default: FILE.intoto.jsonl)"
    group.add_argument("--statements", type=Path, metavar="FILE", help=about)
    about = "exit with 1 without a valid statement of a trusted signer, or of the one with this name"
    group.add_argument("--require-signature", nargs="?", const="", metavar="NAME", help=about)
    group.add_argument("--sigstore-identity", metavar="NAME", help="sigstore: the identity that you trust")
    about = "sigstore: the service that must have confirmed it"
    group.add_argument("--sigstore-issuer", metavar="URL", help=about)
    _add_trust_config(group)


def attestation(options: argparse.Namespace) -> AttestationOptions:
    """Whose statements count."""
    named = (options.sigstore_identity, options.sigstore_issuer, options.sigstore_trust_config)
    return AttestationOptions(
        Trust(options.signers, *named),
        options.statements,
        required=options.require_signature is not None,
        principal=options.require_signature or None,
    )


def _add_trust_config(group: argparse._ArgumentGroup) -> None:
    about = "sigstore: the services and keys of a private instance"
    group.add_argument("--sigstore-trust-config", type=Path, metavar="FILE", help=about)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Sign a statement about an archive: its sha256, and in short what it says. The statement is added "
        "to FILE.intoto.jsonl; one by the same key is replaced."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=ARCHIVE_HELP)
    add_signing(parser, "--key")


def run(options: argparse.Namespace) -> int:
    """Signs the archive and prints by whom it is signed."""
    order = signing(options)
    if order is None:
        raise ConfigError("name the SSH key to sign with, --key FILE, or --sigstore.")
    print_signed(sign_archive(archive_file(options.file), order))
    return 0


def print_signed(signed: SignedArchive) -> None:
    """Prints who signed, and how to verify it."""
    others = plural(signed.number - 1, "other signature", "other signatures")
    count = f", beside {others}" if signed.number > 1 else ""
    made = signed.signature
    by = f"{made.identity}, confirmed by {made.issuer}" if made.issuer else made.identity
    at = f" at {made.time} ({made.authority})" if made.time else ""
    print(f"{signed.statements}: signed by {by}{at}{count}")
    print("Publish that file with the archive.")
