"""The commit of this project's code: from git in a checkout, else from the file that a build left."""

import re
import subprocess
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.runs.provenance.document import Pipeline

COMMIT_FILE = "COMMIT"
"""Beside the Snakefile; written when a wheel, an sdist or an image is built in a checkout."""

CODE = ("bfcl_pipeline", "workflow", "Snakefile", "pyproject.toml", "requirements.lock")
"""What counts as changed code in a checkout."""

_COMMIT = re.compile(r"(?P<commit>[0-9a-f]{40,64})(?P<changed>-dirty)?\n?")
_GIT_SECONDS = 60


def find_pipeline(folder: Path) -> Pipeline:
    """The version of this code, and the commit of the project's files in `folder`."""
    if (folder / ".git").exists():
        commit = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain", "--", *CODE)
        return Pipeline(__version__, commit or None, changed=bool(changes))
    try:
        built = _COMMIT.fullmatch((folder / COMMIT_FILE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        built = None
    commit, changed = (None, False) if built is None else (built["commit"], bool(built["changed"]))
    return Pipeline(__version__, commit, changed)


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of a git command; None if git is not installed or the command fails."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
