"""Observes the heartbeat of a lease's holder on another machine.

The clocks of two machines are never compared: the observer detects changes of the lock file and measures
time on its own clock. Only observed time counts: while the file system is unavailable to the observer, it
may be unavailable to the holder as well.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from bfcl_pipeline.base.leases.holder import LeaseState
from bfcl_pipeline.base.process import Process, is_alive


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
