"""Acquires a lease: creates its lock file, or takes it over from a dead holder.

File locks are not used, because not every file system has them. A lock file is completed under a temporary
name and then linked to its final name, which succeeds for one process only. A dead holder is replaced by
the process that holds the takeover claim, itself a lock file, named after the holder's token. Tokens are
never reused, so a process that is late cannot replace the successor of the holder that it observed.
"""

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.files import temporary_path
from bfcl_pipeline.base.leases.holder import Holder, read_holder, read_lease, write_new
from bfcl_pipeline.base.leases.liveness import LeaseTiming, Liveness, LivenessMonitor
from bfcl_pipeline.base.process import Process
from bfcl_pipeline.base.text import Log

_ATTEMPTS = 100  # to create a file that appears and disappears meanwhile


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class LeaseAcquirer:
    """Acquires leases for one process."""

    holder: Holder  # the future holder
    here: Process  # the process that observes other holders
    timing: LeaseTiming
    activity: str  # what a holder does, for messages, such as "writes this journal"
    wait: bool = False  # wait for a holder that is alive
    log: Log = _print  # receives a line per `report_seconds` while waiting

    def acquire(self, path: Path) -> Holder | None:
        """Makes `path` name the holder.

        A holder on another machine is observed until it is known to be alive or dead.

        Returns:
            The dead holder that was replaced; None if the lease was free.

        Raises:
            LeaseError: the holder is alive and `wait` is false, or the lock file cannot be read.
            OSError: the lock file cannot be written.
        """
        monitor: LivenessMonitor | None = None
        reported: float | None = None
        absent = 0
        unreadable_seconds = 0.0
        while True:
            try:
                state = read_lease(path)
            except LeaseError:
                # A network file system may show a new file with the previous one's length for a while.
                if unreadable_seconds >= self.timing.timeout_seconds:
                    raise
                unreadable_seconds += self.timing.poll_seconds
                self.timing.sleep(self.timing.poll_seconds)
                continue
            if state is None:
                if self._create(path):
                    return None
                absent += 1
                if absent == _ATTEMPTS:
                    raise LeaseError(
                        f"{path}: the lock file keeps appearing and disappearing; is another program using "
                        "this directory?"
                    )
                continue
            absent = 0
            if state.holder == self.holder:
                return None  # our link succeeded although it was reported as failed (NFS)
            if monitor is None or monitor.holder != state.holder:
                monitor = LivenessMonitor(state, self.here, self.timing)
            status = monitor.status(state)
            if status is Liveness.DEAD:
                if self._take_over(path, state.holder):
                    return state.holder
                continue
            if status is Liveness.ALIVE and not self.wait:
                raise LeaseError(
                    f"{path}: {state.holder} {self.activity}. Wait for it, or stop it. If that job is "
                    f"dead, take over: delete {path}."
                )
            now = self.timing.now()
            if reported is None or now - reported >= self.timing.report_seconds:
                self.log(self._waiting(path, state.holder, status))
                reported = now
            self.timing.sleep(self.timing.poll_seconds)

    def _waiting(self, path: Path, other: Holder, status: Liveness) -> str:
        if status is Liveness.ALIVE:
            return f"{path}: {other} {self.activity}; waiting for it to end."
        return (
            f"{path}: {other} {self.activity} or has died; taking over after "
            f"{self.timing.timeout_seconds:g} s without a heartbeat."
        )

    def _take_over(self, path: Path, dead: Holder) -> bool:
        """Replaces the holder `dead`; False if another process has replaced it."""
        claim = path.with_name(f"{path.name}.{dead.token}")
        self.acquire(claim)
        temporary = temporary_path(path, self.holder.process)
        try:
            write_new(temporary, self.holder)
            # Only the process that holds the claim may replace this holder.
            if read_holder(claim) != self.holder or read_holder(path) != dead:
                return False
            temporary.replace(path)
            return True
        finally:
            temporary.unlink(missing_ok=True)
            delete_own(claim, self.holder)

    def _create(self, path: Path) -> bool:
        """Creates the lock file. Returns False, with nothing changed, if it exists."""
        temporary = temporary_path(path, self.holder.process)
        try:
            write_new(temporary, self.holder)
            try:
                os.link(temporary, path)
            except (FileExistsError, FileNotFoundError):  # the latter: the temporary file was deleted
                return False
            except OSError:  # a file system without hard links
                write_new(path, self.holder)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        return True


def delete_own(path: Path, holder: Holder) -> None:
    """Deletes the lock file `path` if it names `holder`."""
    with contextlib.suppress(LeaseError):
        if read_holder(path) == holder:
            path.unlink(missing_ok=True)
