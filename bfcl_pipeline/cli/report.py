"""`bfcl-pipeline report`: write the report of a run as one HTML file."""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "run_dir",
        type=Path,
        metavar="RUN_DIR",
        help="run directory with tables/; report.html is written there",
    )
    add_rules(parser, "rule set of the report")


def run(options: argparse.Namespace) -> int:
    """Writes the page."""
    from bfcl_pipeline.report.page.render import write_page

    print(write_page(options.run_dir, options.rules), file=sys.stderr)
    return 0
