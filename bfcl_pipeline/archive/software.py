"""The software that computes a run: versions of packages, and the workflow with its commit."""

import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bfcl_pipeline import __version__
from bfcl_pipeline.project import project_folder

PACKAGES = ("snakemake", "pyarrow", "polars")
"""Packages whose versions are recorded: the workflow engine and the writers of the tables."""

_CODE = ("bfcl_pipeline", "workflow", "Snakefile", "pyproject.toml", "requirements.lock")
_GIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files of the project: a checkout, or the same files inside an installed wheel."""

    folder: Path
    commit: str | None  # of git; None in a wheel or outside a git repository
    dirty: bool  # whether its code differs from that commit

    @property
    def schema(self) -> Path:
        """The JSON Schema of run configs."""
        return self.folder / "workflow/schemas/config.schema.yaml"

    @property
    def lock_file(self) -> Path:
        """The pinned versions of all dependencies."""
        return self.folder / "requirements.lock"


def versions() -> dict[str, str]:
    """The installed version of each recorded package, of Python and of the pipeline, by name."""
    installed = {"bfcl-pipeline": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


def find_checkout() -> Checkout:
    """The workflow that belongs to this package. Raises ConfigError if it is missing."""
    folder = project_folder()
    if not (folder / ".git").exists():
        return Checkout(folder, None, dirty=False)
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--", *_CODE)
    return Checkout(folder, commit or None, dirty=bool(changes))


def workflow_files(checkout: Checkout) -> list[Path]:
    """Snakefile and the files of workflow/, which describe what was run."""
    files = [path for path in (checkout.folder / "workflow").rglob("*") if path.is_file()]
    visible = [path for path in files if not {part[0] for part in path.parts[-2:]} & {".", "_"}]
    return [checkout.folder / "Snakefile", *sorted(visible)]


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of a git command; None if git is not installed or the command fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
