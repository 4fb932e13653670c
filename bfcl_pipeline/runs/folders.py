"""The folders of runs: `mini` and `results/mini` are the same run, in every command.

Covers finding the folder of a run, and the newest run. Standard library only, so that commands start fast.
"""

from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import did_you_mean

RESULTS = Path("results")
"""The directory of all runs, one directory each."""

ARCHIVE_SUFFIX = ".zip"
"""How the name of the archive of a run ends."""

CONFIG = "config.yaml"
"""The file of a run that says what it evaluates; every finished run has one."""


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
    known = f"Runs in {RESULTS}/: {', '.join(names)}." if names else f"There are no runs in {RESULTS}/ yet."
    raise ConfigError(f"no run {str(given)!r}.{did_you_mean(given.name, names)} {known}")


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
    record = folder / CONFIG
    return record.stat().st_mtime if record.is_file() else 0.0
