"""The pinned wheel from the package index, by the client and configuration of the user.

Covers the download only; the hash is checked by `staging.source` before anything is read.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bfcl_pipeline.benchmark import release
from bfcl_pipeline.errors import StagingError

_ADVICE = (
    "Check that pip can reach a package index from here (`pip config list`), or name a local wheel or "
    "an unpacked folder as the source."
)


def wheel_name(version: str) -> str:
    """The file name of the wheel of `version`."""
    return release.WHEEL.replace(release.VERSION, version)


def download_wheel(version: str) -> bytes:
    """The wheel of `version`, fetched with pip. Raises StagingError with pip's own words if that fails."""
    requirement = f"{release.DISTRIBUTION}=={version}"
    with tempfile.TemporaryDirectory(prefix="bfcl-pipeline-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
        command += ["--dest", folder, requirement]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            words = " ".join(done.stderr.split())[-600:] or f"exit status {done.returncode}"
            raise StagingError(f"pip could not download {requirement}: {words}. {_ADVICE}")
        path = Path(folder) / wheel_name(version)
        if not path.is_file():
            got = ", ".join(sorted(file.name for file in Path(folder).iterdir())) or "nothing"
            raise StagingError(f"pip downloaded {got} for {requirement}, expected {path.name}. {_ADVICE}")
        return path.read_bytes()
