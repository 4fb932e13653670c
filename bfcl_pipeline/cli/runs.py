"""`bfcl-pipeline runs`: list them; and runs named on the command line, the same way in every command.

Covers options and arguments that take a run, by its name or directory, or its archive. Standard library
only, so that commands start fast.
"""

import argparse
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import did_you_mean
from bfcl_pipeline.cli.options import print_to_stderr
from bfcl_pipeline.runs.folders import ARCHIVE_SUFFIX, RESULTS, newest_first, run_names
from bfcl_pipeline.runs.run import DATA, Run, open_run
from bfcl_pipeline.show.report.terminal import WIDTH, terminal_width
from bfcl_pipeline.show.screen.run_list import run_lines

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of runs, as workflow/schemas/config.schema.yaml has them."""

Wanted: TypeAlias = Callable[[str], object]
"""True for the names of the members of an archive that are unpacked."""

RUN_HELP = "name of a run in results/, or its directory"

RUNS_HELP = f"{RUN_HELP}, or an archive (FILE.zip)"

_TABLES = re.compile(r"results/[^/]+/(?:config\.yaml|models\.yaml|tables/.+)")
"""The members of an archive that its tables need."""


def opened(archives: ExitStack, source: Path, data: Path = DATA, wanted: Wanted = _TABLES.fullmatch) -> Run:
    """The run that `source` names; of an archive, `wanted` members are unpacked until `archives` closes.

    Raises ConfigError if there is no such run, and ArchiveError if the archive is damaged or malformed.
    """
    if source.suffix != ARCHIVE_SUFFIX:
        return open_run(source, data=data)
    from bfcl_pipeline.runs.archived.unpacking import opened_run  # loads pyarrow

    run = archives.enter_context(opened_run(source, data=data, wanted=wanted))
    print_to_stderr(
        f"{source}: seal and sha256 of what is read are right; whether it follows from the recorded "
        f"answers: bfcl-pipeline verify {source}"
    )
    return run


def add_run(parser: argparse.ArgumentParser, about: str = "") -> None:
    """The argument RUN, as the Path `run_dir`; `run_folder` resolves it. about: which files are needed."""
    parser.add_argument("run_dir", type=Path, metavar="RUN", help=f"{RUN_HELP}{about and f'; {about}'}")


ARCHIVE_HELP = "written by `bfcl-pipeline archive`; or the name of a run, for results/RUN.crate.zip"


def archive_file(given: Path) -> Path:
    """The archive that `given` names: the file itself, or of a name, results/<name>.crate.zip.

    Raises ConfigError if a name is neither.
    """
    named = RESULTS / f"{given}.crate.zip"
    if len(given.parts) != 1 or given.is_file():
        return given
    if not named.is_file():
        meant = did_you_mean(given.name, run_names())
        raise ConfigError(
            f"neither an archive {given} nor {named}.{meant} `bfcl-pipeline archive RUN` writes one."
        )
    return named


def check_run_name(name: str) -> None:
    """Raises ConfigError if no run can have this name."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of a run: use letters, digits, '.', '_' and '-', "
            "a letter or digit first."
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command: none."""


def run(options: argparse.Namespace) -> int:  # noqa: ARG001  # of the interface
    """Prints a line for each run, the newest first."""
    runs = [Run(folder) for folder in newest_first()]
    if not runs:
        raise ConfigError(f"there are no runs in {RESULTS}/ yet. Start one: bfcl-pipeline run.")
    print("\n".join(run_lines(runs, terminal_width() if sys.stdout.isatty() else WIDTH)))
    return 0
