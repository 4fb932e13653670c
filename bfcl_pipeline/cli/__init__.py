"""The command line: `bfcl-pipeline COMMAND ...`.

Each command is a module of this package with `add_arguments(parser)` and `run(args) -> int`. Only that of
the given command is imported, so that `--help` is immediate.
"""

import argparse
import errno
import importlib
import os
import select
import sys
from collections.abc import Sequence
from types import ModuleType

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.environment import read_env_file
from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.base.text import printable

COMMANDS: dict[str, str] = {
    "run": "evaluate models: stage, generate, score and report what is missing, with Snakemake",
    "watch": "show how far a run is: models, rates, time left, cost, failures",
    "stage": "fetch the pinned release, verify it, write data/entries/*.parquet",
    "categories": "list what the benchmark tests: each category, its entries, weight and an example",
    "models": "list every known model, and what is missing to run it",
    "ping": "make one cheap request to a model, and show the answer or what to do next",
    "plan": "before a run: which sample is precise enough, what it costs, how long it takes",
    "serve": "run vLLM's server for one local model until it receives TERM or INT",
    "generate": "run one model on the entries of the given categories",
    "gather": "merge the shards of one model's responses",
    "score": "score a table of responses",
    "aggregate": "turn verdicts into the leaderboard's tables and CSV files",
    "report": "write the page of a run: one HTML file, with figures and every entry",
    "figures": "draw the figures of a run again, or those that join several runs",
    "replay": "derive a run again from its records, offline, and compare every byte",
    "table": "print the leaderboard table of a run",
    "compare": "compare models or runs on the same entries: differences, intervals, tests, flips",
    "diff": "show what two runs differ in, and where each conversation parts",
    "gate": "exit with 0 if a run is no worse than a baseline, by the interval of the difference",
    "show": "print one entry, or one model's conversation over it, and why it passed or failed",
    "audit": "list suspected defects of the entries, and how each was adjudicated",
    "journal": "inspect the journals of exchanges with models, down to raw answers",
    "web": "inspect, check, import and compare records of the web; try a search or a fetch",
    "archive": "package a run as a verifiable archive (RO-Crate)",
    "sign": "sign a statement about an archive, with an SSH key or by sigstore",
    "verify": "check an archive, derive its results again, and compare them",
    "submit": "write a run as a bundle for others: archive, exports, checksums, README",
    "gallery": "write a static site of the archives of many runs, each verified",
    "export": "write the results of a run as LaTeX, Markdown, or files of other evaluation programs",
    "import-official": "turn result folders of the official tool into a run, or a table of responses",
    "export-official": "write the responses of a run as result folders of the official tool",
}
"""Every command and its help in one line; its module is the name with `_` for `-`."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells define it."""


_FILE_ERRORS = (
    errno.EACCES,
    errno.EDQUOT,
    errno.EEXIST,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
)
"""What a user can mend about a file or directory: a path, a permission, a full disk."""

CLOSED_PIPE = 141
"""Exit status if the reader of the output, such as `head`, ended before all of it was printed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; without arguments, prints the help.

    Returns the exit status: 0, 1 after a printed `PipelineError`, `INTERRUPTED` or `CLOSED_PIPE`.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _run(arguments or ["--help"])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        closed = [stream for stream in (1, 2) if _is_closed(stream)]
        if not closed:  # another pipe, or a connection
            raise
        for stream in closed:  # what is still buffered is flushed at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        return CLOSED_PIPE


def _is_closed(stream: int) -> bool:
    """Whether nobody reads the pipe with this file descriptor any more."""
    poll = select.poll()
    poll.register(stream, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _run(arguments: Sequence[str]) -> int:
    command = next((word for word in arguments if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="bfcl-pipeline", description="Evaluate BFCL V4, reproducibly.")
    parser.add_argument("--version", action="version", version=f"bfcl-pipeline {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        subparser = commands.add_parser(name, help=about, description=about)
        if name == command:
            _module(name).add_arguments(subparser)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:  # the usage is that of the command
        commands.choices[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        read_env_file()
        return int(_module(options.command).run(options))
    except PipelineError as error:
        print(f"bfcl-pipeline {options.command}: {printable(str(error))}", file=sys.stderr)
        return 1
    except OSError as error:
        if error.errno not in _FILE_ERRORS:
            raise
        place = printable(f"{error.filename}: ") if error.filename else ""
        print(f"bfcl-pipeline {options.command}: {place}{error.strerror or error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"bfcl-pipeline {options.command}: interrupted; no partial files were left.", file=sys.stderr)
        return INTERRUPTED


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"bfcl_pipeline.cli.{command.replace('-', '_')}")
