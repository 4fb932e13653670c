"""Runs named on the command line: `mini` and `results/mini` are the same run, in every command.

Covers options and arguments that take a run or its archive. Standard library only, so that commands start
fast.
"""

import argparse
import re
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import did_you_mean
from bfcl_pipeline.runs.folders import RESULTS, run_names

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
