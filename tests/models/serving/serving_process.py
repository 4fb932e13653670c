"""`bfcl-pipeline serve` as a process that a test starts, reads and ends; and which processes have ended."""

from __future__ import annotations

import os
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path

STAND_IN = Path(__file__).parent / "stand_in"
SECONDS = 60.0
"""Nothing here takes as long; a test that waited so long has failed."""


def has_ended(pid: int) -> bool:
    """Whether a process, not a child of this one, ends in good time."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], SECONDS)[0])
    finally:
        os.close(watched)


def wait_for(path: Path, words: str, pid: int) -> None:
    """Returns when a file has these words in it; fails if the process ends before."""
    ended = os.pidfd_open(pid)
    try:
        while not path.exists() or words not in path.read_text():
            assert not select.select([ended], [], [], 0.1)[0], f"ended before {path.name} has {words!r}"
    finally:
        os.close(ended)


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they did."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except FileNotFoundError:  # ended meanwhile
        return []
    return [one for child in children for one in (child, *descendants(child))]


@dataclass(frozen=True, slots=True)
class Serving:
    """`bfcl-pipeline serve`, and the files that it writes."""

    process: subprocess.Popen[str]
    address: Path
    log: Path

    def says(self, word: str) -> str:
        """The next line on standard error with `word` in it; fails if it ends without."""
        assert self.process.stderr is not None
        told = []
        for line in self.process.stderr:
            told.append(line)
            if word in line:
                return line
        raise AssertionError(f"ended without {word!r}: {''.join(told)}")

    def end(self, number: int) -> tuple[int, str]:
        """Its exit status, and what it still says, after a signal."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Its exit status, and what it still says."""
        _, told = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, told

    def processes(self) -> list[int]:
        """Those of all servers that were started."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [int(pid) for line in lines if line[:1] == ["processes"] for pid in line[1:]]


def environment(what: str, **variables: str) -> dict[str, str]:
    """The variables with which this Python finds the stand-in as vLLM."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("BFCL_VLLM")}
    return {**inherited, "PYTHONPATH": str(STAND_IN), "STAND_IN": what, **variables}
