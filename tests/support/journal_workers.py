"""Controls the process that forks journal writers (journal_worker.py)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bfcl_pipeline.base.leases import LeaseTiming
from tests.support import ROOT

QUICK = LeaseTiming(heartbeat_seconds=0.05, poll_seconds=0.01, timeout_seconds=3.0)
"""Timing with which holders on other machines are detected as alive or dead within seconds. At most two
poll intervals per read count as observed time, so that a slow machine extends the timeout."""


class Workers:
    """The worker process: takes commands, returns lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self, command: str, path: Path, number: int, *hosts: str) -> None:
        """Sends a command; see journal_worker."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join([command, str(path), str(number), *hosts]) + "\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """The next line of its output."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the workers have ended"
        return line.removesuffix("\n")

    def pid(self) -> int:
        """The process id in the next line."""
        word, number = self.line().split()
        assert word == "process"
        return int(number)

    def rest(self) -> list[str]:
        """The remaining lines until all processes of the command have ended."""
        return list(iter(self.line, "ended"))


@contextmanager
def workers() -> Iterator[Workers]:
    """Starts the process, and ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.journal_worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Workers(process)
        assert process.stdin is not None
        process.stdin.close()
