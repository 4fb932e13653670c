"""With what a run is computed: versions of the software, and the checkout that holds the workflow.

Versions are those of the environment that asks.
"""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bfcl_pipeline import __version__
from bfcl_pipeline.errors import ArchiveError

PACKAGES = ("snakemake", "pyarrow", "polars")
"""Besides the pipeline and Python: who runs the workflow, and who writes the tables."""

_CODE = ("bfcl_pipeline", "workflow", "Snakefile", "pyproject.toml", "requirements.lock")
_GIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder with the workflow that belongs to this package."""

    folder: Path
    commit: str | None  # of git; None if it is no repository
    dirty: bool  # whether its code differs from that commit

    @property
    def schema(self) -> Path:
        """That of the configs of runs."""
        return self.folder / "workflow/schemas/config.schema.yaml"

    @property
    def lock_file(self) -> Path:
        """The pinned versions of all dependencies."""
        return self.folder / "requirements.lock"


def versions() -> dict[str, str]:
    """The version of each piece of software by name; without what is not installed."""
    found = {"bfcl-pipeline": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def find_checkout() -> Checkout:
    """The checkout that this package was installed from. Raises ArchiveError if it is not there."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / "Snakefile").is_file() or not (folder / "workflow").is_dir():
        raise ArchiveError(
            f"{folder}: no Snakefile and workflow/ beside the package. Use a checkout of the repository, "
            "installed with `pip install --editable .`, or the container image."
        )
    if not (folder / ".git").exists():
        return Checkout(folder, None, dirty=False)
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--", *_CODE)
    return Checkout(folder, commit or None, dirty=bool(changes))


def workflow_files(checkout: Checkout) -> list[Path]:
    """Snakefile and workflow/, as the description of what was run."""
    found = [path for path in (checkout.folder / "workflow").rglob("*") if path.is_file()]
    kept = [path for path in found if not {part[0] for part in path.parts[-2:]} & {".", "_"}]
    return [checkout.folder / "Snakefile", *sorted(kept)]


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says; None if it is not installed or does not know."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
