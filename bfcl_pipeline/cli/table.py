"""`bfcl-pipeline table`: print the V4 table of a run, and the path of its report."""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.report.terminal import print_styled, terminal_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="run directory with tables/")
    add_rules(parser, "rule set of the table")


def run(options: argparse.Namespace) -> int:
    """Prints the table."""
    table = terminal_table(options.run_dir, options.rules)
    if sys.stdout.isatty():
        print_styled(table)
    else:
        print(table)
    report = options.run_dir / "report.html"
    print(
        f"\nReport: {report}"
        if report.is_file()
        else f"\nNo report yet: bfcl-pipeline report {options.run_dir}"
    )
    return 0
