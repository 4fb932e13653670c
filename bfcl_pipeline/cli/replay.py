"""`bfcl-pipeline replay`: derive a run again from what it recorded, offline, and compare every byte."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_cores, add_data

if TYPE_CHECKING:
    from bfcl_pipeline.archive.compare import Difference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run: results/embedded, or embedded")
    add_data(parser)
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("cache"),
        metavar="DIR",
        help="with the journals and the record of the web (default: cache)",
    )
    add_cores(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="derive it in this new folder and keep it (default: a temporary one)",
    )
    parser.add_argument(
        "--snakemake",
        nargs=argparse.REMAINDER,
        default=[],
        metavar="ARGUMENT",
        help="all that follows is for Snakemake",
    )


def run(options: argparse.Namespace) -> int:
    """Prints `identical`, or the first difference. Returns 0 if there is none, else 1."""
    named = Path("results") / options.run
    if not options.run.is_dir() and named.is_dir():
        options.run = named
    if options.keep is not None:
        return _replay(options, options.keep)
    with tempfile.TemporaryDirectory(prefix="bfcl-replay-") as folder:
        return _replay(options, Path(folder) / "work")


def _replay(options: argparse.Namespace, work: Path) -> int:
    from bfcl_pipeline.archive.compare import compared_files, differences
    from bfcl_pipeline.archive.rederive import rederive
    from bfcl_pipeline.archive.unanswered import answered_since, unanswered

    started = time.perf_counter()
    derived = rederive(
        options.run,
        data=options.data,
        cache=options.cache,
        work=work,
        cores=options.cores,
        arguments=options.snakemake,
    )
    found = list(differences(options.run, derived))
    seconds = time.perf_counter() - started
    files = len(compared_files(derived))
    print(f"{_verdict(found, files)} ({options.run}, derived again in {seconds:,.0f} s)")
    for line in unanswered(derived).lines():
        print(line)
    since = answered_since(options.run, derived) if found else 0
    if since:
        print(
            f"Answered since the run, as its journals have it now: {since:,} entries. Run it again to use "
            "that."
        )
    if found and options.keep is not None:
        print(f"What was derived: {derived}")
    sys.stdout.flush()
    return 1 if found else 0


def _verdict(found: Sequence[Difference], files: int) -> str:
    if not found:
        return f"identical: all {files:,} files"
    kinds = Counter(difference.file.parts[0] for difference in found)
    counted = ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items())
    return f"different: {found[0]}\n{len(found):,} of {files:,} files differ: {counted}"
