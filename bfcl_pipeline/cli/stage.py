"""`bfcl-pipeline stage`: fetch the pinned release, verify it, write the data folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.benchmark import release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the folder to write (default: data)"
    )
    parser.add_argument(
        "--source",
        type=Path,
        help="a local wheel or an unpacked folder of the release; without it, pip fetches the wheel",
    )
    parser.add_argument("--version", default=release.VERSION, help="the release (default: %(default)s)")
    parser.add_argument(
        "--sha256",
        default=release.SHA256,
        help="of the wheel, or of the contents of a folder (default: the pinned release's)",
    )


def run(args: argparse.Namespace) -> int:
    """Stages the release, with one line of progress per table on stderr."""
    from bfcl_pipeline.staging import stage

    stage(
        args.data,
        source=args.source,
        version=args.version,
        sha256=args.sha256,
        log=lambda line: print(line, file=sys.stderr),
    )
    return 0
