"""`bfcl-pipeline table`: print the V4 table of a run, and the path of its report."""

import argparse

from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.report.terminal import print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser)
    add_rules(parser, "rule set of the table")


def run(options: argparse.Namespace) -> int:
    """Prints the table."""
    print_table(open_run(options.run_dir), options.rules)
    return 0
