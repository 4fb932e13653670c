"""`bfcl-pipeline ceiling`: the score that a perfect model reaches through a server, without generation."""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.tables.entries import entries_path, read_entries
from bfcl_pipeline.cli.options import add_data, add_names, add_rules, print_to_stderr
from bfcl_pipeline.show.servers.ceiling import CEILING_CATEGORIES, Measured
from bfcl_pipeline.show.servers.ceiling_text import ceiling_document, ceiling_lines
from bfcl_pipeline.show.servers.formats import TRAINED_ON, format_of, load_formats, write_tokenizer
from bfcl_pipeline.show.servers.reading import PIECES, ParserProcess, Server, ServerRoutes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "model", nargs="?", metavar="MODEL", help="its name at the server (default: the first)"
    )
    add_server(parser)
    add_names(parser, "--category", "categories", "categories or groups (default: all but web search)")
    parser.add_argument("--sample", type=int, metavar="N", help="entries of each category (default: all)")
    parser.add_argument(
        "--pieces",
        type=int,
        nargs="+",
        default=list(PIECES),
        metavar="TOKENS",
        help="tokens in a piece of a streamed answer; 0: the answer at once (default: "
        f"{' '.join(map(str, PIECES))})",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the result as JSON")
    add_rules(parser, "rule set of the verdicts")
    add_data(parser)


def add_server(parser: argparse.ArgumentParser) -> None:
    """A server that runs, or vLLM's parser without one; `opened_server` opens it."""
    parser.add_argument("--server", metavar="URL", help="a vLLM server that runs, with or without weights")
    forms = ", ".join(load_formats())
    parser.add_argument(
        "--parser",
        metavar="NAME",
        help="instead of a server: vLLM's tool parser of this name, without weights. Of the following, "
        f"the pipeline has a short chat template and makes a tokenizer: {forms}",
    )
    parser.add_argument("--template", type=Path, metavar="FILE", help="with --parser: the chat template")
    parser.add_argument(
        "--tokenizer", type=Path, metavar="DIR", help="with --parser: the model's tokenizer"
    )
    parser.add_argument("--reasoning-parser", metavar="NAME", help="with --parser: vLLM's reasoning parser")
    parser.add_argument(
        "--python", metavar="FILE", help=f"the Python that has vLLM (default: {PYTHON_VARIABLE})"
    )


def run(options: argparse.Namespace) -> int:
    """Measures and prints. Returns 0, whatever is lost."""
    if any(piece < 0 for piece in options.pieces):
        raise ConfigError("--pieces: expected numbers of tokens, 0 or more.")
    categories = resolve_categories(options.categories) if options.categories else CEILING_CATEGORIES
    unfit = [name for name in categories if name not in CEILING_CATEGORIES]
    if unfit:
        raise ConfigError(
            f"--category: {unfit[0]} is not asked with tools, or needs a web. Choose of "
            f"{', '.join(CEILING_CATEGORIES)}."
        )
    with opened_server(options) as (name, server):
        measured = Measured(options.data, categories, options.rules, options.sample)
        pieces = list(dict.fromkeys(options.pieces))
        ceiling = measured.measure(server, pieces, print_to_stderr).shrunk(server)
    print(printable("\n".join(ceiling_lines(name, ceiling))))
    if options.json:
        write_text(options.json, json.dumps(ceiling_document(name, ceiling), indent=2) + "\n")
    return 0


@contextmanager
def opened_server(options: argparse.Namespace) -> Iterator[tuple[str, Server]]:
    """The server of the options, and a name for it. Raises ConfigError for options that do not fit."""
    if (options.server is None) == (options.parser is None):
        raise ConfigError(
            "Name a server: --server URL, or --parser NAME for vLLM's parser without a server."
        )
    if options.server and (options.template or options.reasoning_parser):
        raise ConfigError("--template and --reasoning-parser are only for --parser NAME.")
    if options.server:
        yield options.server, ServerRoutes(options.server, options.model)
        return
    with tempfile.TemporaryDirectory() as made:
        tokenizer, log = options.tokenizer, Path(made) / "vllm.log"
        template = options.template and options.template.read_text(encoding="utf-8")
        if tokenizer is None:
            form, tokenizer = format_of(options.parser), Path(made)
            entries = [
                entry for name in TRAINED_ON for entry in read_entries(entries_path(options.data, name))
            ]
            write_tokenizer(form, entries, tokenizer)
        with ParserProcess(
            options.parser,
            tokenizer,
            template,
            reasoning=options.reasoning_parser,
            python=options.python,
            log=log,
        ) as server:
            yield options.parser, server
