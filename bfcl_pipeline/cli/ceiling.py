"""`bfcl-pipeline ceiling`: the score that a perfect model reaches through a server, without generation."""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE
from bfcl_pipeline.ask.models.weights import model_files
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.cli.options import add_data, add_names, add_rules, print_to_stderr
from bfcl_pipeline.show.servers.ceiling import CEILING_CATEGORIES, Measured
from bfcl_pipeline.show.servers.ceiling_text import ceiling_lines
from bfcl_pipeline.show.servers.formats import format_of, load_formats, write_tokenizer
from bfcl_pipeline.show.servers.reading import (
    PIECES,
    ParsingServer,
    ServerRoutes,
    SGLangRoute,
    parser_process,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    model = "its name at the server (default: the first)"
    parser.add_argument("model", nargs="?", metavar="MODEL", help=model)
    add_server(parser)
    add_names(parser, "--category", "categories", "categories or groups (default: all but web search)")
    parser.add_argument("--sample", type=int, metavar="N", help="entries of each category (default: all)")
    about = "tokens in a piece of a streamed answer; 0: the answer at once (default: 0 1 3 8 32)"
    parser.add_argument("--pieces", type=int, nargs="+", metavar="TOKENS", help=about)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the result as JSON")
    add_rules(parser, "rule set of the verdicts")
    add_data(parser)


def add_server(parser: argparse.ArgumentParser) -> None:
    """A server that runs, or vLLM's parser without one; `opened_server` opens it."""
    about = "a vLLM server that runs, with or without weights; with --parser, an SGLang server"
    parser.add_argument("--server", metavar="URL", help=about)
    about = (
        "without --server: vLLM's tool parser of this name, without weights. Of the following, the "
        f"pipeline has a short chat template and makes a tokenizer: {', '.join(load_formats())}"
    )
    parser.add_argument("--parser", metavar="NAME", help=about)
    parser.add_argument("--template", type=Path, metavar="FILE", help="with --parser: the chat template")
    parser.add_argument("--tokenizer", type=Path, metavar="DIR", help="the model's tokenizer")
    parser.add_argument("--reasoning-parser", metavar="NAME", help="with --parser: vLLM's reasoning parser")
    about = f"the Python that has vLLM (default: {PYTHON_VARIABLE})"
    parser.add_argument("--python", metavar="FILE", help=about)


@contextmanager
def opened_server(options: argparse.Namespace) -> Iterator[tuple[str, ParsingServer]]:
    """The server of the options, and a name for it. Raises ConfigError for options that do not fit."""
    if options.server is None and options.parser is None:
        raise ConfigError(
            "Name a server: --server URL, or --parser NAME for vLLM's parser without one; both for SGLang."
        )
    if options.server:
        if options.template or options.reasoning_parser:
            raise ConfigError(
                "--template and --reasoning-parser are only for vLLM's parser without a server."
            )
        if options.parser:
            yield options.server, SGLangRoute(options.server, format_of(options.parser))
        else:
            yield options.server, ServerRoutes(options.server, options.model)
        return
    with tempfile.TemporaryDirectory() as made:
        template = options.template and options.template.read_text(encoding="utf-8")
        if options.tokenizer is None:
            write_tokenizer(format_of(options.parser), options.data, Path(made))
        tokenizer = options.tokenizer or Path(made)
        more = (template, options.reasoning_parser, options.python)
        with parser_process(options.parser, tokenizer, *more) as server:
            yield options.parser, server


@contextmanager
def server_of_row(row: ModelRow) -> Iterator[ParsingServer]:
    """The server of a model row: the one that runs at its endpoint, else vLLM's template without weights.

    Raises ConfigError or ModelError if there is no server, or vLLM or the model's tokenizer is not here.
    """
    if row.endpoint is not None:
        yield ServerRoutes(row.endpoint, row.model)
        return
    folder = model_files(row.model, row.revision)
    if folder is None:
        raise ConfigError(f"{row.model}: neither a folder nor in the hub's cache: hf download {row.model}")
    template = row.vllm.chat_template and project_file(row.vllm.chat_template).read_text(encoding="utf-8")
    with parser_process(row.vllm.tool_parser or "hermes", folder, template) as server:
        yield server


def run(options: argparse.Namespace) -> int:
    """Measures and prints. Returns 0, whatever is lost."""
    pieces = options.pieces or ((0,) if options.server and options.parser else PIECES)
    if min(pieces) < 0 or (options.server and options.parser and max(pieces) > 0):
        raise ConfigError(
            "--pieces: expected numbers of tokens, 0 or more; SGLang's route reads at once: 0."
        )
    categories = resolve_categories(options.categories or CEILING_CATEGORIES)
    unfit = [name for name in categories if name not in CEILING_CATEGORIES]
    if unfit:
        raise ConfigError(
            f"--category: {unfit[0]} is not asked with tools, or needs a web. Choose of "
            f"{', '.join(CEILING_CATEGORIES)}."
        )
    with opened_server(options) as (name, server):
        measured = Measured(options.data, categories, options.rules, options.sample)
        ceiling = measured.measure(server, list(dict.fromkeys(pieces)), print_to_stderr)
        ceiling = ceiling.shrunk(server)
    print(printable("\n".join(ceiling_lines(name, ceiling))))
    if options.json:
        write_text(options.json, json.dumps({"server": name, **asdict(ceiling)}, indent=2) + "\n")
    return 0
