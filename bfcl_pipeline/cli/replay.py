"""`bfcl-pipeline replay`: derive a run again from what it recorded, offline, and compare every byte."""

import argparse
import tempfile
import time
from pathlib import Path

from bfcl_pipeline.cli.options import add_cache, add_cores, add_data
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.cli.steps import StepsShown
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.share.archive.replay import replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser)
    add_data(parser)
    add_cache(parser, "directory with the journals and the web cache")
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
    """Prints `identical`, or the first difference. Returns 1 if there is one or a cassette contradicts."""

    run = open_run(options.run_dir, options.cache, options.data)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bfcl-replay-") as temporary:
        with StepsShown() as steps:
            result = replay(
                run,
                work=options.keep or Path(temporary) / "work",
                cores=options.cores,
                arguments=options.snakemake,
                log=steps,
            )
        for line in result.lines():
            print(line)
    print(f"{run.folder}: derived again in {time.perf_counter() - started:,.0f} s")
    if result.differences and options.keep is not None:
        print(f"The replay: {result.derived}")
    return 1 if result.failed else 0
