"""`bfcl-pipeline show`: print one entry, or what a model did on it and why it passed or failed.

With `--prompt MODEL`: the exact text that the model is sent, on standard output alone, so that it can be
piped; invisible characters are made visible on a terminal only.
"""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable, valid_unicode
from bfcl_pipeline.cli.options import add_cache, add_data, add_rules
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import newest_first, run_folder


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
    parser.add_argument(
        "--prompt",
        metavar="MODEL",
        help="print only what this model is sent first: the prompt, or the body of the request",
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
    add_rules(parser, "rule set to apply; verified: to the mended truth, if the errata have one")
    add_data(parser)
    add_cache(parser, "where results of web calls and of searches in a memory are read")


def run(options: argparse.Namespace) -> int:
    """Prints the page, or one request."""
    if options.prompt is not None:
        return _print_request(options)
    for name in ("step", "models"):
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name} is only for --prompt MODEL.")
    from bfcl_pipeline.runs.run import Run, open_run
    from bfcl_pipeline.show.entry.entry_page import ModelRun, choose_run, put_entry
    from bfcl_pipeline.show.entry.terminal_page import TerminalPage

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
        answered = ModelRun(run, options.model, options.rules, runs)
    put_entry(TerminalPage(), options.data, options.entry_id, answered, options.rules, options.cache)
    return 0


def _print_request(options: argparse.Namespace) -> int:
    """Prints one request to a model."""
    from bfcl_pipeline.ask.generation import ChatAsking
    from bfcl_pipeline.ask.models import build_adapter, build_derived, build_model
    from bfcl_pipeline.benchmark.config import KINDS, load_models, model_folder, model_row, trial_of
    from bfcl_pipeline.runs.run import open_run
    from bfcl_pipeline.show.entry.entry_page import find_entry
    from bfcl_pipeline.show.entry.sent import first_request, recorded_request, request_text
    from bfcl_pipeline.show.playback.conditions import default_conditions, read_conditions
    from bfcl_pipeline.show.transcripts.entry import has_memory

    if options.model is not None:
        raise ConfigError("--prompt prints a request, --model an answer: use one of them.")
    if options.run_dir is None and options.step is not None:
        raise ConfigError("--step needs --run RUN: requests after the first follow from a model's answers.")
    if options.step is not None and options.step < 1:
        raise ConfigError(f"--step {options.step}: requests are counted from 1.")
    entry = find_entry(options.data, options.entry_id)
    run = None
    if options.run_dir is None:
        row = model_row(load_models(options.models), options.prompt)
        conditions = default_conditions(options.data, options.cache)
    else:
        run = open_run(options.run_dir, options.cache, options.data)
        conditions = read_conditions(run)
        row = model_row(run.rows, trial_of(options.prompt).model)
    if row.recorded:
        raise ConfigError(f"{row.name}: its answers are read from results; nothing is sent.")
    adapter = None
    if not KINDS[row.kind].embedded:
        of_run = run is not None and build_derived(row, run, model_folder(options.prompt))
        adapter = of_run or build_adapter(row, offline=True)
    if run is None or adapter is None:
        if (options.step or 1) > 1:
            raise ConfigError(
                f"{row.name} is embedded: it has no journal, from which requests are made again."
            )
        asking = ChatAsking(build_model(row).mode) if adapter is None else adapter.asking
        request = first_request(entry, asking, conditions)
        if has_memory(entry):
            print(
                "The memory is empty here; in a run, it has what the model stored before.", file=sys.stderr
            )
    else:
        request = recorded_request(entry, run, options.prompt, adapter, options.step or 1)
    text = valid_unicode(request_text(request, adapter))
    sys.stdout.write(f"{printable(text)}\n" if sys.stdout.isatty() else text)
    return 0
