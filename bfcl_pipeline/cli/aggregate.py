"""`bfcl-pipeline aggregate`: verdicts of a run -> its tables and the official CSV files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, add_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "run_dir", type=Path, metavar="RUN_DIR", help="has responses/ and verdicts/; gets tables/"
    )
    add_data(parser)
    parser.add_argument(
        "--models", type=Path, default=Path("config/models.yaml"), help="what the tables say of each model"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="tabulate this model only; repeatable (default: all that have verdicts)",
    )
    add_rules(parser, "whose verdicts the official CSV files show")


def run(options: argparse.Namespace) -> int:
    """Writes the tables."""
    from bfcl_pipeline.report.aggregate_run import aggregate_run
    from bfcl_pipeline.report.cells import plural

    found = aggregate_run(options.run_dir, options.data, options.models, options.rules, options.model)
    print(f"{options.run_dir / 'tables'}: {plural(len(found), 'model', 'models')}", file=sys.stderr)
    return 0
