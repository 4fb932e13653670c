"""Runs named on the command line: `mini` and `results/mini` are the same run, in every command.

Covers options and arguments that take a run, finding its directory, and the newest run. Standard library
only, so that commands start fast.
"""

import argparse
import difflib
import re
from pathlib import Path

from bfcl_pipeline.errors import ConfigError

RESULTS = Path("results")
"""The directory of all runs, one directory each."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of runs, as workflow/schemas/config.schema.yaml has them."""

RUN_HELP = "name of a run in results/, or its directory"

_RECORD = "config.yaml"
"""The file of a run that says what it evaluates; every finished run has one."""


def add_run(parser: argparse.ArgumentParser, about: str = "") -> None:
    """The argument RUN, as the Path `run_dir`; `run_folder` resolves it. about: which files are needed."""
    parser.add_argument("run_dir", type=Path, metavar="RUN", help=f"{RUN_HELP}{about and f'; {about}'}")


def run_folder(given: Path) -> Path:
    """The directory of the run that `given` names: results/<name>, or the directory itself.

    Raises ConfigError, with the runs that exist, if there is none.
    """
    named = RESULTS / given
    if len(given.parts) == 1 and given.name and named.is_dir():
        return named
    if given.is_dir():
        return given
    names = run_names()
    near = difflib.get_close_matches(given.name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    known = f"Runs in {RESULTS}/: {', '.join(names)}." if names else f"There are no runs in {RESULTS}/ yet."
    raise ConfigError(f"no run {str(given)!r}.{hint} {known}")


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


def run_names() -> list[str]:
    """The names of all runs in `results`, sorted."""
    if not RESULTS.is_dir():
        return []
    return sorted(path.name for path in RESULTS.iterdir() if path.is_dir() and path.name[0] != ".")


def newest_first() -> list[Path]:
    """The directories of all runs, last recorded config first; those without one last."""
    folders = [RESULTS / name for name in run_names()]
    return sorted(folders, key=lambda folder: (-_recorded_at(folder), folder.name))


def _recorded_at(folder: Path) -> float:
    record = folder / _RECORD
    return record.stat().st_mtime if record.is_file() else 0.0
