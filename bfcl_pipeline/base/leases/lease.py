"""A lease that this process holds: acquired, renewed by a thread, and released.

File locks are not used, because not every file system has them. A lock file is completed under a temporary
name and then linked to its final name, which succeeds for one process only. A dead holder is replaced by
the process that holds the takeover claim, itself a lock file, named after the holder's token. Tokens are
never reused, so a process that is late cannot replace the successor of the holder that it observed.
"""

import contextlib
import os
import sys
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.files import STALE_HOURS, clear_temporaries, temporary_path
from bfcl_pipeline.base.leases.holder import (
    Holder,
    LeaseTiming,
    Liveness,
    LivenessMonitor,
    read_holder,
    read_lease,
    renew,
    write_new,
)
from bfcl_pipeline.base.process import Process, is_alive, this_process

_ATTEMPTS = 100  # to create a file that appears and disappears meanwhile


@dataclass(frozen=True, slots=True)
class LeaseAcquirer:
    """Acquires leases for one process."""

    holder: Holder  # the future holder
    here: Process  # the process that observes other holders
    timing: LeaseTiming
    activity: str  # what a holder does, for messages, such as "writes this journal"
    wait: bool = False  # wait for a holder that is alive

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
                print(self._waiting(path, state.holder, status), file=sys.stderr, flush=True)
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


LEASE_TIMING = LeaseTiming()

_ABSENT_HEARTBEATS = 2  # in a row without a lock file: it was deleted


class Lease:
    """An exclusive right, named by a lock file, until it is released or lost."""

    def __init__(
        self,
        path: Path,
        activity: str,
        *,
        wait: bool = False,
        timing: LeaseTiming = LEASE_TIMING,
        here: Process | None = None,
        on_lost: Callable[[Holder | None], None] | None = None,
    ) -> None:
        """Acquires the lease and starts the thread that renews it.

        Args:
            path: the lock file.
            activity: what a holder does, for messages, such as "writes this journal".
            wait: wait for a holder that is alive, with a log line a minute on standard error.
            timing: the intervals.
            here: the process that acquires the lease; default: this one.
            on_lost: called in the thread with the new holder, or None, if the lease is lost.

        Raises:
            LeaseError: another process holds the lease.
            OSError: the lock file cannot be written.
        """
        here = here or this_process()
        self.path = path
        self._activity = activity
        self._on_lost = on_lost
        self.holder = Holder(uuid.uuid4().hex, datetime.now(UTC).isoformat(timespec="seconds"), here)
        self.replaced = LeaseAcquirer(self.holder, here, timing, activity, wait).acquire(path)
        """The dead holder from which the lease was taken over; None if it was free."""
        self._released = threading.Event()
        self._heartbeat_seconds = timing.heartbeat_seconds
        threading.Thread(target=self._renew, name=f"lease {path.name}", daemon=True).start()

    def check(self) -> None:
        """Raises LeaseError if this process no longer holds the lease."""
        holder = read_holder(self.path)
        if holder != self.holder:
            reason = "its lock file was deleted" if holder is None else f"{holder} has taken over"
            raise LeaseError(f"{self.path}: this job no longer {self._activity}: {reason}. Run again.")

    def release(self) -> None:
        """Releases the lease; deletes what killed processes left beside the lock file. Raises OSError."""
        self._released.set()
        with contextlib.suppress(FileNotFoundError):
            now = self.path.stat().st_mtime
            clear_temporaries(self.path.parent.glob(f".{self.path.name}.*.tmp"), now)
            _clear_claims(self.path, self.holder, now)
        delete_own(self.path, self.holder)

    def _renew(self) -> None:
        """Writes heartbeats until the lease is released or lost. Runs in the thread."""
        absent = 0
        while not self._released.wait(self._heartbeat_seconds):
            try:
                if not renew(self.path, self.holder):
                    break
                absent = 0
            except FileNotFoundError:
                absent += 1
                if absent == _ABSENT_HEARTBEATS:
                    break
            except (OSError, LeaseError):
                pass  # a temporarily unavailable disk does not end the lease
        if not self._released.is_set() and self._on_lost is not None:
            with contextlib.suppress(LeaseError):
                self._on_lost(read_holder(self.path))


def _clear_claims(path: Path, holder: Holder, now: float) -> None:
    """Deletes the takeover claims of processes that were killed during a takeover."""
    for claim in path.parent.glob(f"{path.name}.*"):
        with contextlib.suppress(LeaseError, FileNotFoundError):
            claimant = read_holder(claim)
            old = claim.stat().st_mtime < now - STALE_HOURS * 3600
            if claim.suffix != f".{holder.token}" and (
                old or (claimant is not None and is_alive(claimant.process) is False)
            ):
                claim.unlink(missing_ok=True)
