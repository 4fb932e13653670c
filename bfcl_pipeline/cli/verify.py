"""`bfcl-pipeline verify`: check the archive of a run, derive its results again, and compare."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_cores, add_data, print_to_stderr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Check the archive of a run, derive its results again offline, and compare. Exit status: 0, all "
        "results were derived and are identical; 1, the archive was refused or something differs; 3, not "
        "all results could be derived."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="written by `bfcl-pipeline archive`")
    add_data(parser)
    add_cores(parser)


def run(options: argparse.Namespace) -> int:
    """Prints a line for each thing that was verified, and for each that was not."""
    from bfcl_pipeline.archive.verify import verify  # loads pyarrow

    return verify(
        options.file,
        data=options.data,
        cores=options.cores,
        log=lambda line: print(line, flush=True),
        step_log=print_to_stderr,
    )
