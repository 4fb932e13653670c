"""Which process something belongs to, and whether that process is alive.

A number alone does not tell: it is used again. So a process is known by its machine, that machine's last
start, and its own start. Of processes on other machines, or in other containers, nothing can be told here;
`watch` tells by what they do.
"""

from __future__ import annotations

import hashlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """One process of one machine."""

    host: str  # the machine's name
    machine: str | None  # its id: names are given twice
    boot: str | None  # its last start
    namespace: str | None  # the process numbers of a container are its own
    pid: int
    started: str | None  # when the process started, in ticks since the boot
    job: str | None = None  # the number of the SLURM job it is part of

    def __str__(self) -> str:
        job = "" if self.job is None else f" (SLURM job {self.job})"
        return f"process {self.pid} on {self.host}{job}"

    @property
    def place(self) -> str:
        """Where its number means something, in 8 hex digits: equal for processes that see each other."""
        known = (self.host, self.machine, self.boot, self.namespace)
        return hashlib.sha256(repr(known).encode()).hexdigest()[:8]


def this_process() -> Process:
    """The process that asks. What the system does not tell is None."""
    pid = os.getpid()
    return Process(
        host=socket.gethostname(),
        machine=_text(Path("/etc/machine-id")),
        boot=_text(_PROC / "sys/kernel/random/boot_id"),
        namespace=_link(_PROC / "self/ns/pid"),
        pid=pid,
        started=_started(pid),
        job=os.environ.get("SLURM_JOB_ID") or None,
    )


def is_alive(process: Process, here: Process | None = None) -> bool | None:
    """Whether `process` is alive, as seen from `here`, this process; None where that cannot be told.

    A process of before the last start of this machine cannot be told either: machines that were copied, or
    containers, have the same name and id.
    """
    here = here or this_process()
    if process.place != here.place:
        return None
    started = _started(process.pid)
    if started is None:
        return _exists(process.pid)
    return started != "" and process.started in (None, started)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True


def _started(pid: int) -> str | None:
    """When a process started; empty if it has ended and waits to be noticed, None if it is not told."""
    stat = _text(_PROC / str(pid) / "stat")
    if stat is None:
        return None
    fields = stat.rpartition(")")[2].split()  # behind the name, which may hold anything
    return "" if fields[0] in "ZX" else fields[19]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def _link(path: Path) -> str | None:
    try:
        return str(path.readlink())
    except OSError:
        return None
