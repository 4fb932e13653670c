"""`bfcl-pipeline blame`: whose fault each wrong answer of a run is, in points."""

import argparse
from pathlib import Path

from bfcl_pipeline.ask.jobs.captured import tokenizer_of
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.cli.options import add_cache, add_data, add_names, print_to_stderr
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.servers.blame import SERVER, Blamed, blame, shares
from bfcl_pipeline.show.servers.blame_text import (
    EXAMPLES,
    answer_row,
    blame_lines,
    example_lines,
    write_blame,
)
from bfcl_pipeline.show.servers.formats import format_of, load_formats
from bfcl_pipeline.show.servers.recorded import chosen_models, recorded_answers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "its responses")
    add_names(parser, "--model", "models", "only these models (default: all in mode fc)")
    parser.add_argument(
        "--parser",
        metavar="NAME",
        help="the form in which the model writes calls, by the name of vLLM's parser (default: that of the "
        f"row, else any): {', '.join(load_formats())}",
    )
    parser.add_argument(
        "--tokenizer",
        type=Path,
        metavar="DIR",
        help="the tokenizer that reads what the model wrote from recorded tokens (default: that of the "
        "model, if it is on this machine)",
    )
    add_data(parser)
    add_cache(parser, "where the journals are")


def run(options: argparse.Namespace) -> int:
    """Prints a table for each model, and writes the tables of the run."""
    run = open_run(options.run_dir, options.cache, options.data)
    constants, found, rows = read_constants(options.data), {}, list[list[str]]()
    for model in chosen_models(run, options.models):
        row = run.rows.get(trial_of(model).model)
        decode = tokenizer_of(row, options.tokenizer)
        of_row = load_formats().get((row.vllm.tool_parser if row else None) or "")
        form = format_of(options.parser) if options.parser else of_row
        blamed: list[Blamed] = []
        before = len(rows)
        for answer in recorded_answers(run, model, decode):
            if (one := blame(answer, constants, form)) is not None:
                blamed.append(one)
                if one.cause in SERVER:
                    rows.append(answer_row(model, one, answer))
        if blamed:
            if decode is None:
                print_to_stderr(
                    f"{model}: its tokenizer is not here (--tokenizer DIR), so what it wrote is not read."
                )
            found[model] = shares(blamed)
            examples = example_lines(rows[before : before + EXAMPLES])
            lines = [*blame_lines(model, len(blamed), found[model]), *examples, ""]
            print(printable("\n".join(lines)))
    if not found:
        raise ConfigError(f"{run.folder}: no model has answers in mode fc, in which servers read calls.")
    write_blame(run, found, rows)
    print_to_stderr(f"To add this to the page of the run: bfcl-pipeline report {run.folder}")
    return 0
