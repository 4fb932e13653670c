"""`bfcl-pipeline archive`: package a run as a verifiable archive."""

import argparse
import os
from pathlib import Path

from bfcl_pipeline.cli.options import add_archiving, add_cache, add_data
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.cli.sign import add_signing, print_signed, signing
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.share.archive.attestations import sign_archive, stale_statements
from bfcl_pipeline.share.archive.make import make_archive
from bfcl_pipeline.share.signing.signature import statements_path
from bfcl_pipeline.share.signing.signed_line import check_ready


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "complete")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the archive (default: RUN.crate.zip beside the run)"
    )
    add_data(parser)
    add_cache(parser, "directory with exchanges/ and web/")
    add_archiving(parser)
    add_signing(parser, "--sign")


def run(options: argparse.Namespace) -> int:
    """Writes the archive, prints its sha256, and signs it if that is asked for."""

    order = signing(options)
    if order is not None:
        check_ready(order)
    run = open_run(options.run_dir, options.cache, options.data, absolute=True)
    beside, here = run.folder.with_name(f"{run.folder.name}.crate.zip"), Path.cwd()
    made = make_archive(
        run,
        options.out or (beside.relative_to(here) if beside.is_relative_to(here) else beside),
        environment=os.environ,
        allowed=options.allow,
        authors=options.author,
    )
    print(
        f"{made.path}: {made.members:,} files, {made.unpacked / 1e6:,.1f} MB in {made.size / 1e6:,.1f} MB"
    )
    print(f"sha256 {made.sha256}")
    if made.answered_since:
        print(
            f"\nLeft out: later answers to {made.answered_since:,} entries and memory sessions that failed "
            "in this run. To include them, run it again, then archive it again."
        )
    if made.recorded_since:
        print(
            f"\nLeft out: {made.recorded_since:,} answers of web APIs, recorded after the verdicts that "
            "lack them. To include them, run it again with --forcerun score, then archive it again."
        )
    to_verify = f"To verify it: bfcl-pipeline verify {made.path}"
    if order is not None:
        print_signed(sign_archive(made.path, order))
        print(f"\n{to_verify} --signers FILE")
        return 0
    if stale_statements(made.path, made.sha256):
        print(f"{statements_path(made.path)}: its statements are about another file: move it away.")
    print(f"\nPublish that hash with the file. {to_verify}")
    return 0
