"""`bfcl-pipeline show`: print one entry, or what a model did on it and why it passed or failed."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_cache, add_data, add_rules
from bfcl_pipeline.cli.runs import RUN_HELP, newest_first, run_folder
from bfcl_pipeline.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "entry_id", metavar="ENTRY_ID", help="id in the release, such as multi_turn_base_12"
    )
    parser.add_argument(
        "--model", help="model with the answer to show (default: none, the ground truth is played)"
    )
    parser.add_argument(
        "--run",
        type=Path,
        metavar="RUN",
        dest="run_dir",
        help=f"{RUN_HELP} (default: the newest run in which the model has a response to the entry)",
    )
    add_rules(parser, "rule set to apply; verified: to the mended truth, if the errata have one")
    add_data(parser)
    add_cache(parser, "where results of web calls and of searches in a memory are read")


def run(options: argparse.Namespace) -> int:
    """Prints the page."""
    from bfcl_pipeline.show.entry_page import ModelRun, choose_run, put_entry
    from bfcl_pipeline.show.terminal_page import TerminalPage

    answered = None
    if options.model is None and options.run_dir is not None:
        folder = run_folder(options.run_dir)
        models = sorted(path.name for path in (folder / "responses").glob("*") if path.is_dir())
        raise ConfigError(
            f"--run shows the response of a model: name it with --model. {folder} has "
            f"{', '.join(models) or 'no responses'}."
        )
    if options.model is not None:
        runs = newest_first()
        folder = (
            choose_run(options.data, options.entry_id, options.model, runs)
            if options.run_dir is None
            else run_folder(options.run_dir)
        )
        answered = ModelRun(folder, options.model, options.rules, runs)
    put_entry(TerminalPage(), options.data, options.entry_id, answered, options.rules, options.cache)
    return 0
