"""The lock file of a lease, and whether the process that it names is alive.

The holder renews the file while it runs. The clocks of two machines are never compared: an observer detects
changes of the file and measures time on its own clock. Only observed time counts: while the file system is
unavailable to the observer, it may be unavailable to the holder as well.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import Enum
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.process import Process, is_alive

_LENGTH = 1023
"""Of every lock file, because some network file systems cache the length of a replaced file."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The content of a lock file."""

    token: str  # unique to each acquisition
    since: str  # ISO 8601 in UTC
    process: Process

    def __str__(self) -> str:
        return f"{self.process}, since {self.since},"


@dataclass(frozen=True, slots=True)
class LeaseState:
    """A lock file at one moment."""

    holder: Holder
    renewed: int  # changes with each heartbeat; not comparable with any clock


def read_lease(path: Path) -> LeaseState | None:
    """The lock file at `path`; None if there is none. Raises LeaseError if it cannot be read.

    Opens the file each time, which makes a network file system query its server.
    """
    try:
        with path.open("rb") as file:
            return LeaseState(_read(path, file), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == ESTALE:  # replaced or deleted by another machine during the read
            return None
        raise LeaseError(f"{path}: cannot read the lock file ({error}).") from error


def read_holder(path: Path) -> Holder | None:
    """The holder that `path` names; None if there is no file. Raises LeaseError if it cannot be read."""
    state = read_lease(path)
    return None if state is None else state.holder


def renew(path: Path, holder: Holder) -> bool:
    """Writes a heartbeat; False if `path` names another holder. Raises LeaseError, OSError.

    It renews the file that it has read: a holder that was replaced does not renew its successor's file.
    """
    with path.open("rb") as file:
        if _read(path, file) != holder:
            return False
        os.utime(file.fileno())
    return True


def write_new(path: Path, holder: Holder) -> None:
    """Writes a file that must not exist. Raises FileExistsError if it does, or another OSError."""
    with path.open("x", encoding="ascii") as file:
        file.write(json.dumps(asdict(holder)).ljust(_LENGTH) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, file: BinaryIO) -> Holder:
    content = file.read()
    try:
        document = json.loads(content)
        process = Process(**document["process"])
        if not isinstance(process.pid, int) or process.pid < 1:
            raise ValueError(f"{process.pid!r} is not a process id")
        return replace(Holder(**document), process=process)
    except (ValueError, TypeError, KeyError) as error:
        raise LeaseError(
            f"{path}: unreadable lock file ({error}). If no job is running, delete it."
        ) from error


@dataclass(frozen=True, slots=True)
class LeaseTiming:
    """The intervals of leases."""

    heartbeat_seconds: float = 10.0  # between two renewals by the holder
    poll_seconds: float = 2.0  # between two reads by an observer
    timeout_seconds: float = 60.0  # observed without a heartbeat, a holder counts as dead
    report_seconds: float = 60.0  # between two log lines of a process that waits
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Liveness(Enum):
    """Whether a holder is alive."""

    ALIVE = "alive"
    DEAD = "dead"
    UNKNOWN = "unknown"  # until it is observed for longer


class LivenessMonitor:
    """Observes one holder."""

    def __init__(self, first: LeaseState, here: Process, timing: LeaseTiming) -> None:
        """first: the first state of the lease. here: the observing process."""
        self.holder = first.holder
        self._here = here
        self._timing = timing
        self._renewed = first.renewed
        self._last_read = timing.now()
        self._silent_seconds = 0.0
        self._has_heartbeat = False

    def status(self, state: LeaseState) -> Liveness:
        """The result after another read, which must have found the same holder."""
        alive = is_alive(self.holder.process, self._here)
        if alive is not None:
            return Liveness.ALIVE if alive else Liveness.DEAD
        now = self._timing.now()
        self._silent_seconds += min(now - self._last_read, 2 * self._timing.poll_seconds)
        self._last_read = now
        if state.renewed != self._renewed:
            self._renewed = state.renewed
            self._silent_seconds = 0.0
            self._has_heartbeat = True
        if self._silent_seconds >= self._timing.timeout_seconds:
            return Liveness.DEAD
        return Liveness.ALIVE if self._has_heartbeat else Liveness.UNKNOWN
