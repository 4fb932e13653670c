"""`bfcl-pipeline report`: tables of a run -> one HTML file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="has tables/; gets report.html")
    add_rules(parser, "whose verdicts the page shows")


def run(options: argparse.Namespace) -> int:
    """Writes the page."""
    from bfcl_pipeline.report.page import write_page

    print(write_page(options.run_dir, options.rules), file=sys.stderr)
    return 0
