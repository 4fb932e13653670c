"""Runs a program in a separate process that a test observes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT


def run_watched(program: str, folder: Path, *arguments: object) -> tuple[int, str]:
    """What `program` prints: a count, and what its audit hook saw beside harmless events.

    It imports from the checkout and is given `arguments`; it runs in `folder`, which stays empty.
    """
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []
    count, seen = done.stdout.split(maxsplit=1)
    return int(count), seen.strip()
