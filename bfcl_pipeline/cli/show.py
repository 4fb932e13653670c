"""`bfcl-pipeline show`: print one entry, or what a model did on it and why it passed or failed."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, add_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "entry_id", metavar="ENTRY_ID", help="id in the release, such as multi_turn_base_12"
    )
    parser.add_argument(
        "--model", help="model with the answer to show (default: none, the truth is played)"
    )
    parser.add_argument(
        "--run",
        type=Path,
        default=Path("results/embedded"),
        metavar="RUN_DIR",
        dest="run_dir",
        help="run directory with responses/ (default: results/embedded)",
    )
    add_rules(parser, "rule set to apply")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the page."""
    from bfcl_pipeline.show.entry_page import ModelRun, put_entry
    from bfcl_pipeline.show.terminal_page import TerminalPage

    answered = None if options.model is None else ModelRun(options.run_dir, options.model, options.rules)
    put_entry(TerminalPage(), options.data, options.entry_id, answered)
    return 0
