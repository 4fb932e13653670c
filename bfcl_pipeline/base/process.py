"""Identifies processes across machines, and checks whether one is alive.

A process id alone is not enough, because ids are reused. A process is identified by its machine, that
machine's boot, its PID namespace and its own start time. Nothing is known about processes on other machines
or in other containers; `leases.holder` observes their heartbeats instead.
"""

import hashlib
import os
import resource
import socket
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """One process of one machine. What the system does not provide is None."""

    host: str  # the machine's name
    machine: str | None  # its id, because names are not unique
    boot: str | None  # the id of its last boot
    namespace: str | None  # the PID namespace: containers number their processes separately
    pid: int
    started: str | None  # start time, in clock ticks since the boot
    job: str | None = None  # the id of the SLURM job it is part of

    def __str__(self) -> str:
        job = "" if self.job is None else f" (SLURM job {self.job})"
        return f"process {self.pid} on {self.host}{job}"

    @property
    def place(self) -> str:
        """8 hex digits, equal for processes that share process ids: same machine, boot and container."""
        identity = (self.host, self.machine, self.boot, self.namespace)
        return hashlib.sha256(repr(identity).encode()).hexdigest()[:8]


def this_process() -> Process:
    """The current process."""
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


def limit_process(*, memory: int, file_bytes: int, processor_seconds: int = resource.RLIM_INFINITY) -> None:
    """Bounds this process, and each that it starts, as far as the system does not bound it more.

    Args:
        memory: bytes of data.
        file_bytes: of each file that is written.
        processor_seconds: of each process.
    """
    limits = {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CPU: processor_seconds,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        bounds = [value for value in (most, hard) if value != resource.RLIM_INFINITY]
        least = min(bounds, default=resource.RLIM_INFINITY)
        resource.setrlimit(kind, (least, least))


def is_alive(process: Process, here: Process | None = None) -> bool | None:
    """Whether `process` is alive, as seen from `here` (this process); None if that cannot be determined.

    It cannot be determined for other machines and containers, nor for processes from before the last boot:
    copies of a machine, or containers, may share a name and id.
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
    except (ProcessLookupError, OverflowError):  # the latter: no process has such a number
        return False
    except PermissionError:
        pass  # another user's process
    return True


def _started(pid: int) -> str | None:
    """The start time of a process; empty if it is a zombie, None if /proc does not provide it."""
    stat = _text(_PROC / str(pid) / "stat")
    if stat is None:
        return None
    fields = stat.rpartition(")")[2].split()  # after the name, which may contain any character
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
