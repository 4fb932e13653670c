"""`bfcl-pipeline aggregate`: write the tables of a run and the official CSV files."""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.text import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "run_dir",
        type=Path,
        metavar="RUN_DIR",
        help="run directory with responses/ and verdicts/; tables/ is written there",
    )
    add_data(parser)
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="models file with display names and prices",
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="tabulate this model only; repeatable (default: all that have verdicts)",
    )
    add_rules(parser, "rule set used in the official CSV files")


def run(options: argparse.Namespace) -> int:
    """Writes the tables."""
    from bfcl_pipeline.report.tables.aggregate_run import aggregate_run

    scores = aggregate_run(options.run_dir, options.data, options.models, options.rules, options.model)
    print(f"{options.run_dir / 'tables'}: {plural(len(scores), 'model', 'models')}", file=sys.stderr)
    return 0
