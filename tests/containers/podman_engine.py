"""podman with images, settings and temporary files in a separate folder; no others are changed."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETTINGS = """\
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "none"
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
"""  # for machines without systemd, and for those that allow no more
ALONE = ("run", "--rm", "--network=none")
"""podman's words for a container without a network, which needs no firewall program on the machine."""

STORAGE = '[storage]\ndriver = "overlay"\ngraphroot = "{0}/images"\nrunroot = "{0}/run"\n'


@dataclass(frozen=True, slots=True)
class Podman:
    """podman in `folder`."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Podman:
        """Its settings are written; images that were left there are known."""
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        (folder / "containers.conf").write_text(SETTINGS)
        (folder / "storage.conf").write_text(STORAGE.format(folder))
        return cls(folder)

    @property
    def variables(self) -> dict[str, str]:
        """The environment in which any program calls this podman."""
        return {
            **os.environ,
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def __call__(self, *words: str | Path) -> str:
        """What `podman words...` prints; its errors are shown if it fails."""
        return self.call("podman", *words)

    def call(self, *words: str | Path, cwd: Path | None = None, **variables: str) -> str:
        """The output of a program that calls this podman; if it fails, all its output is shown."""
        done = subprocess.run(
            words, cwd=cwd, env={**self.variables, **variables}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def inspect(self, image: str) -> dict[str, Any]:
        """podman's metadata of an image."""
        found: dict[str, Any] = json.loads(self("image", "inspect", image))[0]
        return found
