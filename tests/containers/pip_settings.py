"""How a build reaches the packages that this machine's pip reaches: its settings, and what they name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NAMES = {
    "index-url": "PIP_INDEX_URL",
    "extra-index-url": "PIP_EXTRA_INDEX_URL",
    "find-links": "PIP_FIND_LINKS",
    "cert": "PIP_CERT",
    "trusted-host": "PIP_TRUSTED_HOST",
}


def pip_settings() -> dict[str, str]:
    """pip's own settings on this machine, from its files and the environment, as environment variables."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    found: dict[str, str] = {}
    for line in listed.stdout.splitlines():
        key, _, value = line.partition("=")
        name = NAMES.get(key.rpartition(".")[2])
        if name:  # the environment comes first and has priority
            found.setdefault(name, " ".join(value.strip("'\"").replace("\\n", " ").split()))
    return found


def folders_to_mount(settings: dict[str, str]) -> list[str]:
    """Volumes for a build: each file or folder that the settings name, at its own path, read-only."""
    paths = set()
    for name, value in settings.items():
        for path in (Path(word.removeprefix("file://")) for word in value.split()):
            if path.is_absolute() and path.exists():  # the pages of an index may name files beside it
                paths.add(path.parent if name.endswith("INDEX_URL") else path)
    return [f"--volume={path}:{path}:ro" for path in sorted(paths)]
