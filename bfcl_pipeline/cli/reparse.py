"""`bfcl-pipeline reparse`: the recorded answers of a run, read again by another server or parser."""

import argparse

from bfcl_pipeline.ask.jobs.captured import tokenizer_of
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.cli.ceiling import add_server, opened_server
from bfcl_pipeline.cli.options import add_cache, add_data, add_names, add_rules
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.servers.recorded import chosen_models, recorded_answers
from bfcl_pipeline.show.servers.reparse import reparse, reparse_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "its responses and journals")
    add_names(parser, "--model", "models", "only these models (default: all)")
    add_server(parser)
    parser.add_argument(
        "--served-model", dest="model", metavar="NAME", help="the model's name at the server"
    )
    add_rules(parser, "rule set of the verdicts")
    add_data(parser)
    add_cache(parser, "where the journals are")


def run(options: argparse.Namespace) -> int:
    """Prints what is won and lost. Returns 0, whatever that is."""
    if options.tokenizer is None:
        raise ConfigError("--tokenizer DIR: name the tokenizer of the model, whose tokens are recorded.")
    run = open_run(options.run_dir, options.cache, options.data)
    decode, constants = tokenizer_of(None, options.tokenizer), read_constants(options.data)
    found = False
    with opened_server(options) as (_, server):
        for model in chosen_models(run, options.models):
            answers = list(recorded_answers(run, model, decode))
            read = [reparse(answer, server, constants, options.rules) for answer in answers]
            reparsed = [one for one in read if one is not None]
            if reparsed:
                found = True
                lines = reparse_lines(model, reparsed, len(read) - len(reparsed))
                print(printable("\n".join(lines)))
    if not found:
        raise ConfigError(
            f"{run.folder}: no tokens of answers in mode fc are recorded: vLLM alone states them, and "
            "earlier versions did not ask for them. Ask again: bfcl-pipeline run --fresh."
        )
    return 0
