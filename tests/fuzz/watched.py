"""Running a program under the eyes of a test, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_watched(program: str, folder: Path, *arguments: object) -> tuple[int, str]:
    """What `program` prints: a count, and what its audit hook saw beside harmless events.

    It is given this folder, to import from, and `arguments`; it runs in `folder`, which stays empty.
    """
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", program, here, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []
    count, seen = done.stdout.split(maxsplit=1)
    return int(count), seen.strip()
