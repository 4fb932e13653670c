"""`bfcl-pipeline serve` as a process that a test starts, reads and ends."""

from __future__ import annotations

import os
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT

STAND_IN = os.pathsep.join([str(Path(__file__).parent / "stand_in"), str(ROOT)])
"""PYTHONPATH of a process that imports the stand-in as vLLM."""
SECONDS = 60.0
"""Time limit of a test's wait."""


def has_ended(pid: int) -> bool:
    """Whether a process that is not a child of this process ends before the timeout."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], SECONDS)[0])
    finally:
        os.close(watched)


def wait_for(path: Path, words: str, pid: int) -> None:
    """Waits until a file contains these words; fails if the process ends first."""
    ended = os.pidfd_open(pid)
    try:
        while not path.exists() or words not in path.read_text():
            assert not select.select([ended], [], [], 0.1)[0], f"ended before {path.name} has {words!r}"
    finally:
        os.close(ended)


def descendants(pid: int) -> list[int]:
    """The children of a process, and their descendants."""
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

    def wait_for_line(self, word: str) -> str:
        """The next line on standard error that contains `word`; fails if there is none before the output
        ends."""
        assert self.process.stderr is not None
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if word in line:
                return line
        raise AssertionError(f"ended without {word!r}: {''.join(lines)}")

    def end(self, number: int) -> tuple[int, str]:
        """Sends a signal; returns the exit status and the rest of the output."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Waits for the end; returns the exit status and the rest of the output."""
        _, rest = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, rest

    def processes(self) -> list[int]:
        """The processes of all servers that were started."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [int(pid) for line in lines if line[:1] == ["processes"] for pid in line[1:]]


def environment(what: str, **variables: str) -> dict[str, str]:
    """The environment variables with which this Python imports the stand-in as vLLM."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("BFCL_VLLM")}
    return {**inherited, "PYTHONPATH": STAND_IN, "STAND_IN": what, **variables}
