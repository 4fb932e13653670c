"""Measures a command: wall time, processor time, and memory of all its processes together."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_BETWEEN_LOOKS = 0.02


@dataclass(frozen=True, slots=True)
class Taken:
    """What one command took, or several after each other."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    peak_bytes: int = 0  # the sum over concurrent processes, each at its own peak

    def then(self, other: Taken) -> Taken:
        """Both, one after the other."""
        return Taken(
            self.seconds + other.seconds,
            self.processor_seconds + other.processor_seconds,
            max(self.peak_bytes, other.peak_bytes),
        )


def taken(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path, least: float = 0.0
) -> Taken:
    """Runs a command to its end, with its output in `log`. Ends this process if it fails.

    least: minimum seconds between two readings of its memory.
    """
    with log.open("wb") as log_file:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        peak = 0
        while True:
            peak = max(peak, sum(_peaks(process.pid)))
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(max(least, _BETWEEN_LOOKS))
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}")
    return Taken(seconds, used.ru_utime + used.ru_stime, peak)


def _peaks(session: int) -> Iterator[int]:
    """The most memory that each living process of a session ever had, in bytes."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                with (folder / "stat").open() as stat:
                    if int(stat.read().rpartition(")")[2].split()[3]) == session:
                        with (folder / "status").open() as status:
                            yield _high_water(status)
            except OSError:  # it has just ended
                continue


def _high_water(status: IO[str]) -> int:
    lines = (line.split() for line in status)
    return next((int(words[1]) * 1024 for words in lines if words[0] == "VmHWM:"), 0)


def bytes_in(folder: Path) -> int:
    """Of all files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
