"""The process that forks writers of journals (journal_worker.py), as tests command it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bfcl_pipeline.ownership import Rhythm

QUICK = Rhythm(beat=0.05, look=0.01, silent=3.0)
"""Owners of other machines are told alive from dead within seconds, on a slow machine too."""

_PROGRAM = Path(__file__).with_name("journal_worker.py")


class Workers:
    """Commands go in, lines come out."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self, command: str, path: Path, number: int, *hosts: str) -> None:
        """Gives a command; see journal_worker."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join([command, str(path), str(number), *hosts]) + "\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """The next line of the answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the workers have ended"
        return line.removesuffix("\n")

    def pid(self) -> int:
        """The number of the process that the next line names."""
        said, number = self.line().split()
        assert said == "process"
        return int(number)

    def rest(self) -> list[str]:
        """All lines until all processes of the command have ended."""
        return list(iter(self.line, "ended"))


@contextmanager
def workers() -> Iterator[Workers]:
    """Starts the process, and ends it."""
    with subprocess.Popen(
        [sys.executable, str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Workers(process)
        assert process.stdin is not None
        process.stdin.close()
