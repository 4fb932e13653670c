"""`bfcl-pipeline table`: print the V4 table of a run, and where its report lies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="has tables/")
    add_rules(parser, "whose verdicts to show")


def run(options: argparse.Namespace) -> int:
    """Prints the table."""
    from bfcl_pipeline.report.terminal import plain_text, print_rich, read_terminal_table

    table = read_terminal_table(options.run_dir, options.rules)
    if sys.stdout.isatty():
        print_rich(table)
    else:
        print(plain_text(table))
    report = options.run_dir / "report.html"
    print(
        f"\nReport: {report}"
        if report.is_file()
        else f"\nNo report yet: bfcl-pipeline report {options.run_dir}"
    )
    return 0
