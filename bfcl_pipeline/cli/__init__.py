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
from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.base.project import read_env_file
from bfcl_pipeline.base.text import did_you_mean, printable
from bfcl_pipeline.cli.commands import COMMANDS, Parser, described_commands, example_of, wrapped

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
    parser = Parser(
        prog="bfcl-pipeline", usage="bfcl-pipeline COMMAND ...", description=described_commands()
    )
    parser.add_argument("--version", action="version", version=f"bfcl-pipeline {__version__}")
    parser.given = arguments
    if command is not None and command not in COMMANDS:
        meant = did_you_mean(command, COMMANDS)
        parser.error(f"unknown command {command!r}.{meant} `bfcl-pipeline --help` lists the commands")
    commands = parser.add_subparsers(
        prog="bfcl-pipeline", dest="command", metavar="COMMAND", help=argparse.SUPPRESS, required=True
    )
    for name, about in COMMANDS.items():
        subparser = commands.add_parser(name, description=f"{about[0].upper()}{about[1:]}.")
        subparser.given = arguments
        if name == command:
            _module(name).add_arguments(subparser)
            subparser.epilog = f"{subparser.epilog or ''}\n\nexample:\n  {example_of(name)}"
    options, unknown = parser.parse_known_args(arguments)
    if unknown:  # the usage is that of the command
        commands.choices[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        read_env_file()
        return int(_module(options.command).run(options))
    except PipelineError as error:
        before = f"bfcl-pipeline {options.command}: "
        print(f"{before}{wrapped(printable(str(error)), before)}", file=sys.stderr)
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
