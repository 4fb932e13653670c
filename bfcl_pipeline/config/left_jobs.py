"""Jobs that a run has left in the queue of a cluster: ended before the next one submits its own.

Whoever submits jobs to SLURM and is killed leaves them there, waiting or running; the next run would submit
the same steps again, beside them. No result would suffer (a journal has one writer, files are whole or not
there), but hours of a cluster would be lost. Such jobs are known by the folder in which they run and by
their name, which the profile has begin with `PREFIX`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.errors import ConfigError

PREFIX = "bfcl"
"""With which the profile has all names of jobs begin (`slurm-jobname-prefix`)."""

PATIENCE_SECONDS = 600.0
"""For jobs to end that were told to: a cluster takes minutes to give a node up that does not answer."""

_NAME = re.compile(rf"{PREFIX}_[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")
_FORM = "%i|%T|%N|%j|%Z"  # the folder last: it may have any sign in it
_COMMAND_SECONDS = 60.0
_POLL_SECONDS = 0.5
_AGAIN_SECONDS = 60.0  # after which jobs are told again to end


@dataclass(frozen=True, slots=True)
class LeftJob:
    """One job in the queue."""

    id: str
    state: str  # as SLURM calls it
    node: str  # on which it runs; empty if it waits

    def __str__(self) -> str:
        return f"{self.id} ({self.state.lower()}{f' on {self.node}' if self.node else ''})"


def end_left_jobs(folder: Path, tell: Callable[[str], None]) -> int:
    """Ends the jobs that run in `folder`, and returns, once they have ended, how many there were.

    Call it only where no other run is alive in that folder. 0, and nothing done, without SLURM. Raises
    ConfigError if they do not end.
    """
    left = _left(folder) if shutil.which("squeue") else None
    if not left:
        return 0
    tell(f"Ending jobs that an earlier run has left in the queue: {_listed(left)}.")
    still: list[LeftJob] | None = left
    deadline = time.monotonic() + PATIENCE_SECONDS
    again = 0.0
    while still != []:
        now = time.monotonic()
        if now > deadline:
            raise ConfigError(
                f"jobs that an earlier run has left in the queue do not end: {_listed(still or left)}. "
                "See `squeue`, and run again when they are gone."
            )
        if now > again:
            _command("scancel", *(job.id for job in still or left))
            again = now + _AGAIN_SECONDS
        else:
            time.sleep(_POLL_SECONDS)
        still = _left(folder)
    return len(left)


def _left(folder: Path) -> list[LeftJob] | None:
    """The jobs of this user in the queue that run in `folder`, by whatever path; None if nobody tells."""
    told = _command("squeue", "--noheader", f"--user={os.getuid()}", f"--format={_FORM}")
    if told is None:
        return None
    rows = [line.split("|", 4) for line in told.splitlines()]
    return [
        LeftJob(number, state, node)
        for number, state, node, name, where in rows
        if _NAME.fullmatch(name) and Path(where).resolve() == folder.resolve()
    ]


def _listed(jobs: list[LeftJob]) -> str:
    return ", ".join(map(str, jobs))


def _command(*command: str) -> str | None:
    """What one of SLURM's commands prints; None if it fails: some have its commands, and no cluster."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_COMMAND_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
