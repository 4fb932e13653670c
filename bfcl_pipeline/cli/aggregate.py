"""`bfcl-pipeline aggregate`: verdicts of a run -> its tables and the official CSV files."""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.records import Rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of this command."""
    parser.add_argument(
        "run_dir", type=Path, metavar="RUN_DIR", help="has responses/ and verdicts/; gets tables/"
    )
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged release")
    parser.add_argument(
        "--models", type=Path, default=Path("config/models.yaml"), help="what the tables say of each model"
    )
    parser.add_argument(
        "--rules",
        choices=[rules.value for rules in Rules],
        default=Rules.OFFICIAL.value,
        help="whose verdicts the official CSV files show",
    )


def run(args: argparse.Namespace) -> int:
    """Writes the tables. Returns 0."""
    from bfcl_pipeline.report.aggregate_run import aggregate_run

    found = aggregate_run(args.run_dir, args.data, args.models, Rules(args.rules))
    print(f"{args.run_dir / 'tables'}: {len(found)} models")
    return 0
