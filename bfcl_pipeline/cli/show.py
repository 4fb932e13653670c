"""`bfcl-pipeline show`: print one entry, or what a model did on it and why it passed or failed.

With `--prompt MODEL`: the exact text that the model is sent, on standard output alone, so that it can be
piped; invisible characters are made visible on a terminal only.
"""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable, valid_unicode
from bfcl_pipeline.cli.options import add_cache, add_data, add_rules, print_to_stderr
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import newest_first, run_folder
from bfcl_pipeline.runs.run import Run, open_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "entry_id",
        metavar="ENTRY_ID",
        nargs="?",
        help="id in the release, such as multi_turn_base_12; with --against also none: all entries",
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
    parser.add_argument(
        "--prompt",
        metavar="MODEL",
        help="print only what this model is sent first: the prompt, or the body of the request",
    )
    parser.add_argument(
        "--against",
        metavar="ROW",
        help="with --prompt: what differs in the prompt that the chat template of this row's server makes",
    )
    parser.add_argument(
        "--step",
        type=int,
        metavar="N",
        help="with --prompt and --run: the request of this number in the run, from 1 (default: 1)",
    )
    parser.add_argument(
        "--models",
        type=Path,
        action="append",
        metavar="FILE",
        help="with --prompt: models file, as for other commands; --run has its own rows",
    )
    parser.add_argument(
        "--tokenizer",
        type=Path,
        metavar="DIR",
        help="with --model: the tokenizer that reads what the model wrote from recorded tokens (default: "
        "that of the model, if it is on this machine)",
    )
    add_rules(parser, "rule set to apply; verified: to the mended truth, if the errata have one")
    add_data(parser)
    add_cache(parser, "where results of web calls and of searches in a memory are read")


def run(options: argparse.Namespace) -> int:
    """Prints the page, or one request."""
    if options.entry_id is None and None in (options.prompt, options.against):
        raise ConfigError("ENTRY_ID is missing: name an entry, such as multi_turn_base_12.")
    if options.prompt is not None:
        return _print_request(options) if options.against is None else _print_differences(options)
    for name in ("against", "step", "models"):
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name} is only for --prompt MODEL.")
    from bfcl_pipeline.show.entry.entry_page import ModelRun, choose_run, print_entry  # loads pyarrow

    answered = None
    if options.model is None and options.run_dir is not None:
        folder = run_folder(options.run_dir)
        models = sorted(path.name for path in (folder / "responses").glob("*") if path.is_dir())
        raise ConfigError(
            f"--run shows the response of a model: name it with --model. {folder} has "
            f"{', '.join(models) or 'no responses'}."
        )
    if options.model is not None:
        runs = [Run(folder, options.cache, options.data) for folder in newest_first()]
        run = (
            choose_run(options.data, options.entry_id, options.model, runs)
            if options.run_dir is None
            else open_run(options.run_dir, options.cache, options.data)
        )
        answered = ModelRun(run, options.model, options.rules, runs, options.tokenizer)
    print_entry(options.data, options.entry_id, answered, options.rules, options.cache)
    return 0


def _print_differences(options: argparse.Namespace) -> int:
    """Prints what differs between the prompt of a family and that of a server."""
    from bfcl_pipeline.benchmark.config import load_models, model_row
    from bfcl_pipeline.cli.ceiling import server_of_row  # of another wing
    from bfcl_pipeline.show.entry.two_prompts import prompt_lines  # loads pyarrow

    for name in ("model", "run_dir", "step"):
        if getattr(options, name) is not None:
            raise ConfigError(
                f"--against compares first requests: it goes without --{name.removesuffix('_dir')}."
            )
    rows = load_models(options.models)
    model, server = (model_row(rows, name) for name in (options.prompt, options.against))
    with server_of_row(server) as opened:
        places = (options.data, options.cache, model, server, opened.prompt)
        for line in prompt_lines(*places, options.entry_id, print_to_stderr):
            print(printable(line))
    return 0


def _print_request(options: argparse.Namespace) -> int:
    """Prints one request to a model."""
    from bfcl_pipeline.show.entry.sent import first_request, recorded_request  # loads pyarrow

    if options.model is not None:
        raise ConfigError("--prompt prints a request, --model an answer: use one of them.")
    entry_id, model, step = options.entry_id, options.prompt, options.step
    if options.run_dir is None and step is not None:
        raise ConfigError("--step needs --run RUN: requests after the first follow from a model's answers.")
    if step is not None and step < 1:
        raise ConfigError(f"--step {step}: requests are counted from 1.")
    if options.run_dir is None:
        request = first_request(
            options.data, options.cache, options.models, entry_id, model, print_to_stderr
        )
    else:
        run = open_run(options.run_dir, options.cache, options.data)
        request = recorded_request(run, entry_id, model, step or 1, print_to_stderr)
    text = valid_unicode(request)
    sys.stdout.write(f"{printable(text)}\n" if sys.stdout.isatty() else text)
    return 0
