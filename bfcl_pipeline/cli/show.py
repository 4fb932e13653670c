"""`bfcl-pipeline show`: print one entry, or what a model did on it and why it passed or failed.

With `--prompt MODEL`: the exact text that the model is sent, on standard output alone, so that it can be
piped; invisible characters are made visible on a terminal only.
"""

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable, valid_unicode
from bfcl_pipeline.benchmark.config import load_models, model_row
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli.options import add_cache, add_data, add_files, add_names, add_rules, print_to_stderr
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import newest_first
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.show.entry.entry_page import ModelRun, chosen_answer, print_entry, wrong_entries
from bfcl_pipeline.show.entry.sent import first_request, prompt_lines, recorded_request


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "such as multi_turn_base_12; with --failed, the first to show; with --against, default: all"
    parser.add_argument("entry_id", nargs="?", metavar="ENTRY_ID", help=f"id in the release, {about}")
    about = "model with the answer to show (default: the only one)"
    parser.add_argument("-m", "--model", metavar="NAME", help=about)
    about = f"{RUN_HELP} (default: the newest with a response of the model; without a model, the newest)"
    parser.add_argument("--run", type=Path, metavar="NAME", dest="run_dir", help=about)
    about = "go through the wrong answers of the model, one by one"
    parser.add_argument("--failed", action="store_true", help=about)
    add_names(parser, "--category", "categories", "with --failed: only these categories or groups")
    parser.add_argument("--truth", action="store_true", help="the entry alone; the ground truth is played")
    about = "print only what this model is sent first: the prompt, or the body of the request"
    parser.add_argument("--prompt", metavar="MODEL", help=about)
    about = "with --prompt: what differs in the prompt that the chat template of this row's server makes"
    parser.add_argument("--against", metavar="ROW", help=about)
    about = "with --prompt and --run: the request of this number in the run, from 1 (default: 1)"
    parser.add_argument("--step", type=int, metavar="N", help=about)
    add_files(
        parser, "--models", "with --prompt: models file, as for other commands; --run has its own rows"
    )
    about = "the tokenizer that reads what the model wrote from recorded tokens (default: the model's)"
    parser.add_argument("--tokenizer", type=Path, metavar="DIR", help=about)
    add_rules(parser, "rule set to apply; verified: to the mended truth, if the errata have one")
    add_data(parser)
    add_cache(parser, "where results of web calls and of searches in a memory are read")


def run(options: argparse.Namespace) -> int:
    """Prints the page, or one request."""
    if options.prompt is not None:
        return _print_request(options) if options.against is None else _print_differences(options)
    _check(options)
    answer = None
    if not options.truth:
        data, entry_id = options.data, options.entry_id
        runs = [Run(folder, options.cache, data) for folder in newest_first()]
        run = open_run(options.run_dir, options.cache, data) if options.run_dir else None
        answer = chosen_answer(data, entry_id, (run, options.model), runs, options.rules, print_to_stderr)
        answer = answer and replace(answer, tokenizer=options.tokenizer)
    if options.failed:
        return _print_failed(options, answer)
    print_entry(options.data, options.entry_id, answer, options.rules, options.cache)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Raises ConfigError if options contradict each other, or no entry is named."""
    for name in ("against", "step", "models"):
        if getattr(options, name) not in (None, []):
            raise ConfigError(f"--{name} is only for --prompt MODEL.")
    if options.truth and (options.failed or options.model or options.run_dir):
        raise ConfigError("--truth shows the entry alone: leave out --failed, --model and --run.")
    if options.categories and not options.failed:
        raise ConfigError("--category is only for --failed.")
    if options.entry_id is None and not options.failed:
        raise ConfigError("name an entry, such as multi_turn_base_12, or --failed for wrong answers.")


def _print_failed(options: argparse.Namespace, answer: ModelRun | None) -> int:
    """Prints a wrong answer and how to see the next; on a terminal, one after the other."""
    if answer is None:
        raise ConfigError("name the model whose wrong answers are shown with -m, or its run with --run.")
    wrong = wrong_entries(answer, resolve_categories(options.categories))
    whose = f"{answer.model} in {answer.run.folder}, {answer.rules} rules"
    if options.entry_id is not None and options.entry_id not in wrong:
        raise ConfigError(f"{whose}: {options.entry_id!r} is not among {len(wrong):,} wrong answers.")
    if not wrong:
        print(printable(f"{whose}: no wrong answer."))
    start = 0 if options.entry_id is None else wrong.index(options.entry_id)
    asks = sys.stdin.isatty() and sys.stdout.isatty()
    for place, entry_id in enumerate(wrong[start:], start=start + 1):
        print_entry(options.data, entry_id, answer, answer.rules, options.cache)
        counted = f"Wrong answer {place:,} of {len(wrong):,}"
        if place == len(wrong):
            print_to_stderr(f"{counted}, the last.")
        elif not asks:
            words = [wrong[place], "--failed", "-m", answer.model, "--run", str(answer.run.folder)]
            words += [f"--rules={answer.rules}"] if answer.rules is not Rules.OFFICIAL else []
            words += [f"--category={','.join(options.categories)}"] if options.categories else []
            print_to_stderr(f"{counted}. The next: bfcl-pipeline show {shlex.join(words)}")
            break
        else:
            print(f"{counted}. Enter: the next; q: end. ", end="", flush=True)
            if sys.stdin.readline() != "\n":  # or the end of the input
                break
    return 0


def _print_differences(options: argparse.Namespace) -> int:
    """Prints what differs between the prompt of a family and that of a server."""
    from bfcl_pipeline.cli.ceiling import server_of_row  # of another wing

    for name in ("model", "run_dir", "step"):
        if getattr(options, name) is not None:
            raise ConfigError(
                f"--against compares first requests: it goes without --{name.removesuffix('_dir')}."
            )
    rows = load_models(options.models or None)
    model, server = (model_row(rows, name) for name in (options.prompt, options.against))
    with server_of_row(server) as opened:
        places = (options.data, options.cache, model, server, opened.prompt)
        for line in prompt_lines(*places, options.entry_id, print_to_stderr):
            print(printable(line))
    return 0


def _print_request(options: argparse.Namespace) -> int:
    """Prints one request to a model."""
    if options.model is not None or options.entry_id is None:
        raise ConfigError("--prompt prints a request for ENTRY_ID, --model an answer: use one of them.")
    entry_id, model, step = options.entry_id, options.prompt, options.step
    if options.run_dir is None and step is not None:
        raise ConfigError("--step needs --run RUN: requests after the first follow from a model's answers.")
    if step is not None and step < 1:
        raise ConfigError(f"--step {step}: requests are counted from 1.")
    if options.run_dir is None:
        places = (options.data, options.cache, options.models or None)
        request = first_request(*places, entry_id, model, print_to_stderr)
    else:
        run = open_run(options.run_dir, options.cache, options.data)
        request = recorded_request(run, entry_id, model, step or 1, print_to_stderr)
    text = valid_unicode(request)
    sys.stdout.write(f"{printable(text)}\n" if sys.stdout.isatty() else text)
    return 0
