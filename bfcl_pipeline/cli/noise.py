"""`bfcl-pipeline noise`: how much two equal runs differ, and what a gate may call a change."""

import argparse

from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.cli.options import add_names, add_rules
from bfcl_pipeline.cli.sides import opened_sides
from bfcl_pipeline.show.compare.sides import read_sides
from bfcl_pipeline.show.noise.noise import noise_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "a run with trials, or several runs of one model: RUN, an archive (FILE.zip), or RUN:MODEL"
    parser.add_argument("runs", nargs="+", metavar="RUN", help=about)
    add_rules(parser, "rule set of the verdicts")
    add_names(parser, "--category", "categories", "only these categories or groups (default: all)")


def run(options: argparse.Namespace) -> int:
    """Prints a table for each model."""
    with opened_sides(options.runs) as choices:
        sides = read_sides(choices, options.rules, resolve_categories(options.categories))
        print(printable("\n".join(noise_lines(*sides))))
    return 0
