"""`bfcl-pipeline import-official`: result folders of the official tool as a table of responses."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.records import Mode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "result_dir",
        type=Path,
        metavar="RESULT_DIR",
        help="the official `result` folder, or one model's in it",
    )
    parser.add_argument("--out", type=Path, required=True, help="the table to write (Parquet)")
    add_data(parser)
    parser.add_argument("--run", help="name of the run, for the column `run`")
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        help="how the models were asked (default: as the official list has it, else by the suffix -FC)",
    )


def run(args: argparse.Namespace) -> int:
    """Imports the results, with one line of progress per file on stderr."""
    from bfcl_pipeline.staging import import_official

    import_official(
        args.result_dir,
        args.out,
        data=args.data,
        run=args.run,
        mode=None if args.mode is None else Mode(args.mode),
        log=lambda line: print(line, file=sys.stderr),
    )
    return 0
