"""The command line: `bfcl-pipeline COMMAND ...`.

Each command is a module of this package with `add_arguments(parser)` and `run(args) -> int`. Only that of
the given command is imported, so that `--help` is immediate.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from bfcl_pipeline import __version__
from bfcl_pipeline.errors import PipelineError

COMMANDS: dict[str, str] = {
    "stage": "fetch the pinned release, verify it, write data/entries/*.parquet",
    "models": "list every known model, and what is missing to run it",
    "ping": "make one cheap request to a model, and show the answer or what to do next",
    "serve": "run vLLM's server for one local model until it receives TERM or INT",
    "generate": "run one model on the entries of the given categories",
    "gather": "merge the shards of one model's responses",
    "score": "score a table of responses",
    "aggregate": "turn verdicts into the leaderboard's tables and CSV files",
    "report": "write one HTML file from the tables of a run",
    "replay": "derive a run again from its records, offline, and compare every byte",
    "table": "print the leaderboard table of a run",
    "show": "print one entry, or one model's conversation over it, and why it passed or failed",
    "audit": "list the entries that no answer can pass, and why",
    "journal": "inspect the journals of exchanges with models, down to raw answers",
    "web": "inspect the web cache and how much of a run it covers",
    "archive": "package a run as a verifiable archive (RO-Crate)",
    "verify": "check an archive, derive its results again, and compare them",
    "import-official": "read result folders of the official tool into a table of responses",
    "export-official": "write the responses of a run as result folders of the official tool",
}
"""Every command and its help in one line; its module is the name with `_` for `-`."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells define it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit status: 0, 1 after a printed `PipelineError`, or `INTERRUPTED`."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = next((word for word in arguments if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="bfcl-pipeline", description="Evaluate BFCL V4, reproducibly.")
    parser.add_argument("--version", action="version", version=f"bfcl-pipeline {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        subparser = commands.add_parser(name, help=about, description=about)
        if name == command:
            _module(name).add_arguments(subparser)
    options = parser.parse_args(arguments)
    try:
        return int(_module(options.command).run(options))
    except PipelineError as error:
        print(f"bfcl-pipeline {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"bfcl-pipeline {options.command}: interrupted; no partial files were left.", file=sys.stderr)
        return INTERRUPTED


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"bfcl_pipeline.cli.{command.replace('-', '_')}")
