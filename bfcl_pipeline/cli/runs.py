"""`bfcl-pipeline runs`: list them; and runs named on the command line, the same way in every command.

Covers options and arguments that take a run, by its name or directory, or its archive. Standard library
only, so that commands start fast.
"""

import argparse
import re
import sys
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.runs.folders import RESULTS, newest_first

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of runs, as workflow/schemas/config.schema.yaml has them."""

RUN_HELP = "name of a run in results/, or its directory"


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
        raise ConfigError(
            f"neither an archive {given} nor {named}. `bfcl-pipeline archive RUN` writes one."
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
    from bfcl_pipeline.runs.run import Run  # of this command only
    from bfcl_pipeline.show.report.terminal import WIDTH, terminal_width
    from bfcl_pipeline.show.screen.run_list import run_lines

    runs = [Run(folder) for folder in newest_first()]
    if not runs:
        raise ConfigError(f"there are no runs in {RESULTS}/ yet. Start one: bfcl-pipeline run.")
    print("\n".join(run_lines(runs, terminal_width() if sys.stdout.isatty() else WIDTH)))
    return 0
