"""`bfcl-pipeline submit`: write a run as a bundle for others."""

import argparse
import os
from pathlib import Path

from bfcl_pipeline.cli.options import add_archiving, add_cache, add_data, print_to_stderr
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.cli.sign import add_signing, signing
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.share.gallery.bundle import SubmitOptions, submit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Write a directory with the archive of a run, its scores as records of Every Eval Ever, its "
        "answers as result folders of the official tool, SHA256SUMS, and a README on how to verify it."
    )
    add_run(parser, "complete")
    out = "directory of the bundle; must not exist"
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=out)
    add_data(parser)
    add_cache(parser, "directory with exchanges/ and web/")
    maker = "the organization that made the run, for Every Eval Ever (default: unknown)"
    parser.add_argument("--organization", default="unknown", metavar="NAME", help=maker)
    add_archiving(parser)
    add_signing(parser, "--sign")


def run(options: argparse.Namespace) -> int:
    """Writes the bundle; prints its files to stdout and what the exports leave out to stderr."""
    done = submit(
        open_run(options.run_dir, options.cache, options.data, absolute=True),
        options.out,
        SubmitOptions(
            environment=os.environ,
            allowed=options.allow,
            authors=options.author,
            organization=options.organization,
            signing=signing(options),
        ),
        print_to_stderr,
    )
    print(f"{done.folder}: {done.files:,} files")
    print(f"{done.archive.path.name}: {done.archive.size / 1e6:,.1f} MB, sha256 {done.archive.sha256}")
    if done.carried:
        print(done.carried)
    if done.signed is not None:
        print(f"signed by {done.signed.signature.identity}")
    print(
        f"records of Every Eval Ever: {done.records:,}; "
        f"answers in official result folders: {done.answers:,}"
    )
    print(f"\nTo show it with others, and to check it: bfcl-pipeline gallery {done.folder} --out SITE")
    return 0
