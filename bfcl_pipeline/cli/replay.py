"""`bfcl-pipeline replay`: derive a run again from what it recorded, offline, and compare every byte."""

import argparse
import tempfile
import time
from pathlib import Path

from bfcl_pipeline.cli.options import add_cores, add_data, print_to_stderr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run: results/embedded, or embedded")
    add_data(parser)
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("cache"),
        metavar="DIR",
        help="directory with the journals and the web cache (default: cache)",
    )
    add_cores(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="derive the run in this new directory and keep it (default: a temporary one)",
    )
    parser.add_argument(
        "--snakemake",
        nargs=argparse.REMAINDER,
        default=[],
        metavar="ARGUMENT",
        help="pass the remaining arguments to Snakemake",
    )


def run(options: argparse.Namespace) -> int:
    """Prints `identical`, or the first difference. Returns 0 if there is none, else 1."""
    from bfcl_pipeline.archive.replay import replay  # loads pyarrow

    named = Path("results") / options.run
    run_folder = named if not options.run.is_dir() and named.is_dir() else options.run
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bfcl-replay-") as temporary:
        result = replay(
            run_folder,
            data=options.data,
            cache=options.cache,
            work=options.keep or Path(temporary) / "work",
            cores=options.cores,
            arguments=options.snakemake,
            log=print_to_stderr,
        )
        for line in result.lines():
            print(line)
    print(f"{run_folder}: derived again in {time.perf_counter() - started:,.0f} s")
    if result.differences and options.keep is not None:
        print(f"The replay: {result.derived}")
    return 1 if result.differences else 0
