"""A pinned wheel from the package index, by the client and configuration of the user.

Covers the download only; whoever asked checks the hash before anything is read. A wheel is data here:
it is neither installed nor imported.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bfcl_pipeline.errors import StagingError

_ADVICE = (
    "Check that pip can reach a package index from here (`pip config list`), or name a local wheel or "
    "an unpacked folder as the source."
)


def download_wheel(distribution: str, version: str, wheel: str) -> bytes:
    """The file `wheel` of that version of `distribution`, fetched with pip.

    Raises StagingError, with pip's own words if that is what failed.
    """
    requirement = f"{distribution}=={version}"
    with tempfile.TemporaryDirectory(prefix="bfcl-pipeline-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
        command += ["--dest", folder, requirement]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            words = " ".join(done.stderr.split())[-600:] or f"exit status {done.returncode}"
            raise StagingError(f"pip could not download {requirement}: {words}. {_ADVICE}")
        path = Path(folder) / wheel
        if not path.is_file():
            got = ", ".join(sorted(file.name for file in Path(folder).iterdir())) or "nothing"
            raise StagingError(f"pip downloaded {got} for {requirement}, expected {wheel}. {_ADVICE}")
        return path.read_bytes()
