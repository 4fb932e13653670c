"""A lease that this process holds: acquired, renewed by a thread, and released."""

import contextlib
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.files import STALE_HOURS, clear_temporaries
from bfcl_pipeline.base.leases.acquire import LeaseAcquirer, delete_own
from bfcl_pipeline.base.leases.holder import Holder, read_holder, renew
from bfcl_pipeline.base.leases.liveness import LeaseTiming
from bfcl_pipeline.base.process import Process, is_alive, this_process

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
