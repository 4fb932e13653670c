"""`bfcl-pipeline aggregate`: write the tables of a run and the official CSV files."""

import argparse
import sys

from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.cli.runs import add_run, run_folder
from bfcl_pipeline.jobs.options import add_models
from bfcl_pipeline.text import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "with responses/ and verdicts/; tables/ is written there")
    add_data(parser)
    add_models(parser)
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="tabulate this model only; repeatable (default: all that have verdicts)",
    )
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="NAME",
        help="model without results, to be named in the tables; repeatable",
    )
    add_rules(parser, "rule set used in the official CSV files")


def run(options: argparse.Namespace) -> int:
    """Writes the tables."""
    from bfcl_pipeline.report.tables.aggregate_run import aggregate_run

    folder = run_folder(options.run_dir)
    scores = aggregate_run(
        folder, options.data, options.models, options.rules, options.model, options.missing
    )
    print(f"{folder / 'tables'}: {plural(len(scores), 'model', 'models')}", file=sys.stderr)
    return 0
