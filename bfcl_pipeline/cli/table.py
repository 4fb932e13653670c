"""`bfcl-pipeline table`: print the V4 table of one run, with the path of its report, or of several runs."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import RUNS_HELP, opened
from bfcl_pipeline.show.report.terminal import print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = f"{RUNS_HELP}; several are one table"
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help=about)
    add_rules(parser, "rule set of the table")


def run(options: argparse.Namespace) -> int:
    """Prints the table."""
    with ExitStack() as archives:
        first, *others = (opened(archives, source) for source in options.runs)
        print_table(first, options.rules, others)
    return 0
