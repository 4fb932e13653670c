"""`bfcl-pipeline import-official`: read result folders of the official tool into a table of responses."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, print_to_stderr
from bfcl_pipeline.records import Mode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "result_dir",
        type=Path,
        metavar="RESULT_DIR",
        help="the official `result` folder, or the folder of one model in it",
    )
    parser.add_argument("--out", type=Path, required=True, help="the table to write (Parquet)")
    add_data(parser)
    parser.add_argument("--run", help="value of the column `run`")
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        help="mode of the models (default: as in the official list, otherwise by the suffix -FC)",
    )


def run(args: argparse.Namespace) -> int:
    """Imports the results, with one line of progress per file on stderr."""
    from bfcl_pipeline.official.import_results import import_official  # loads pyarrow

    import_official(
        args.result_dir,
        args.out,
        data=args.data,
        run=args.run,
        mode=None if args.mode is None else Mode(args.mode),
        log=print_to_stderr,
    )
    return 0
