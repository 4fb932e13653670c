"""`bfcl-pipeline sign`: add a signed statement to an archive."""

import argparse
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.cli.runs import ARCHIVE_HELP, archive_file
from bfcl_pipeline.cli.signing_options import add_signing, signing
from bfcl_pipeline.share.archive.attestations import SignedArchive, sign_archive


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


def print_signed(signed: "SignedArchive") -> None:
    """Prints who signed, and how to verify it."""
    others = plural(signed.number - 1, "other signature", "other signatures")
    count = f", beside {others}" if signed.number > 1 else ""
    made = signed.signature
    by = f"{made.identity}, confirmed by {made.issuer}" if made.issuer else made.identity
    at = f" at {made.time} ({made.authority})" if made.time else ""
    print(f"{signed.statements}: signed by {by}{at}{count}")
    print("Publish that file with the archive.")
