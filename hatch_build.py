"""Adds the workflow, its profiles and the shipped config to wheels; in a checkout they stay at the top.

Wheels and sdists also get the file COMMIT with the commit of the checkout in which they are built; a wheel
that is built from an sdist has that of the sdist.
"""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = (
    "LICENSE",
    "Snakefile",
    "requirements.lock",
    "requirements-vllm.lock",
    "workflow",
    "config/README.md",
    "config/config.yaml",
    "config/models.yaml",
    "config/official_models.yaml",
    "config/published_scores.csv",
    "config/chat_templates",
    "config/experiments",
    "profiles/README.md",
    "profiles/default",
    "profiles/slurm",
)
"""Named one by one where the user's own files may stand beside them."""

FOLDER = "bfcl_pipeline/_project"


COMMIT = "COMMIT"
"""As `bfcl_pipeline.runs.provenance.software` reads it: the commit, and `-dirty` if files are changed."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for each wheel and sdist; an editable one reads the files where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the files: to a wheel under FOLDER, to an sdist the commit alone."""
        if version != "standard":
            return
        folder = "" if self.target_name == "sdist" else f"{FOLDER}/"
        if folder:
            build_data["force_include"] |= {name: f"{FOLDER}/{name}" for name in FILES}
        commit = commit_of(Path(self.root))
        if commit is not None:
            self._work = tempfile.TemporaryDirectory()
            file = Path(self._work.name) / COMMIT
            file.write_text(f"{commit}\n", encoding="ascii")
            build_data["force_include"][str(file)] = f"{folder}{COMMIT}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Deletes the temporary file."""
        if hasattr(self, "_work"):
            self._work.cleanup()


def commit_of(root: Path) -> str | None:
    """The commit of a checkout, or of the sdist that was unpacked in `root`; None if it is not known."""
    if not (root / ".git").exists():
        file = root / COMMIT
        text = file.read_text(encoding="ascii").strip() if file.is_file() else ""
    else:
        command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError):
            return None
        text = done.stdout.strip()
    return text if re.fullmatch(r"[0-9a-f]{40,64}(-dirty)?", text) else None
