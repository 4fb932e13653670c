"""Imports a record many times, each time killed before another step on disk.

Usage: killed_import.py THEIRS OURS WORK. Import number N works on a copy of OURS in WORK/N and is killed
before its step N; the last one has fewer steps and ends. Prints the number of killed imports.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bfcl_pipeline.world.web import check
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.importing import import_record

STEPS = ("link", "replace", "unlink", "fsync", "mkdir")


def killed_before(last: int) -> None:
    """Makes the process kill itself before the step on disk with this number."""
    count = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
            count += 1
            return real(*arguments, **more)

        return step

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def main() -> None:
    theirs, ours, work = map(Path, sys.argv[1:])
    for step in range(1_000):
        shutil.copytree(ours, work / str(step))
        child = os.fork()
        if not child:
            killed_before(step)
            cache = WebCache(work / str(step))
            check.contradiction = lambda *_: None
            import_record(theirs, cache)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            print(step)
            return
    raise SystemExit("no import ended")


if __name__ == "__main__":
    main()
