"""Clears away what interrupted runs left in the workflow's directory, as far as no active run may use it.

Snakemake marks its directory with lock files and cannot distinguish those of a killed run from those of an
active one: it refuses to start beside either until someone types `--unlock`. So each run also holds a lease
of its own (`base.leases`), visible on every machine that shares the directory. Which steps are repeated is
decided by Snakemake (`rerun-incomplete`), not here. A cluster may still run jobs of a killed run; see
`cluster_queue`. Several runs at once: see `shared_folder`.
"""

import atexit
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bfcl_pipeline.ask.orchestration.shared_folder import LOCKS, delete_stale_locks, run_tag
from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.files import clear_temporaries
from bfcl_pipeline.base.leases import (
    LEASE_TIMING,
    Holder,
    Lease,
    LeaseTiming,
    Liveness,
    LivenessMonitor,
    read_lease,
)
from bfcl_pipeline.base.process import Process, this_process


@dataclass(frozen=True, slots=True)
class ActiveRun:
    """The run of this process in a directory: active until it is closed or the process ends."""

    lease: Lease
    alone: bool  # whether no other run was active when this one started

    def close(self) -> None:
        """Marks the run as ended."""
        atexit.unregister(self.close)
        with contextlib.suppress(OSError):
            self.lease.release()


def clear_interrupted_runs(
    state: Path,
    written: Iterable[Path],
    name: str = "",
    *,
    timing: LeaseTiming = LEASE_TIMING,
    here: Process | None = None,
) -> ActiveRun | None:
    """Registers this run, and clears what interrupted runs left.

    A run on another machine is observed for its heartbeat, for a minute at most. While another run is
    active, only the lock files of dead runs are deleted: Snakemake refuses two runs that write the same
    files, as usual; `shared_folder.share_locks` has it name who makes the other.

    Args:
        state: Snakemake's directory, from which its lock files are removed.
        written: directories from which half-written files are removed.
        name: the name of the run.
        timing: the intervals of leases.
        here: the process that starts the run; default: this one.

    Returns:
        The active run; None, with nothing done, if files cannot be created in `state`.
    """
    here = here or this_process()
    runs = state / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        # One process at a time checks and clears; two that start together would wait for each other.
        startup = Lease(state / "runs.owner", "is starting a run", wait=True, timing=timing, here=here)
        try:
            active, dead = _observe(runs, timing, here)
            if active:
                delete_stale_locks(state, {path.name.partition("-")[0] for path in active})
            else:
                startup.check()  # if we were suspended, another run may hold the lock by now
                _clear(state, written, startup.path.stat().st_mtime, here)
                for path in dead:  # it ends if it is alive after all
                    path.unlink(missing_ok=True)
            path = runs / f"{run_tag(name)}-{uuid4().hex}"
            lease = Lease(path, "runs Snakemake", timing=timing, here=here, on_lost=_end_this_run)
        finally:
            startup.release()
    except (OSError, LeaseError) as error:
        print(f"{state}: cannot check for interrupted runs ({error}).", file=sys.stderr)
        return None
    run = ActiveRun(lease, alone=not active)
    atexit.register(run.close)
    return run


def _clear(state: Path, written: Iterable[Path], now: float, here: Process) -> None:
    """Deletes what killed runs left. now: the time of a file that was just written."""
    clear_temporaries((state / "runs").glob(".*.tmp"), now, here)
    marks = state / LOCKS
    if marks.is_dir() and any(marks.iterdir()):
        for folder in written:
            clear_temporaries(folder.rglob(".*.tmp"), now, here)
        shutil.rmtree(marks)


def _observe(runs: Path, timing: LeaseTiming, here: Process) -> tuple[list[Path], list[Path]]:
    """The files of active runs, and of dead ones.

    Runs on other machines are observed together until it is known of all, or one is active: then those of
    which it is not known count as active.
    """
    monitors: dict[Path, LivenessMonitor] = {}
    reported = False
    while True:
        found: dict[Liveness, list[Path]] = {status: [] for status in Liveness}
        holders: dict[Path, Holder] = {}
        for path in sorted(runs.iterdir()):
            if path.suffix or (lease := read_lease(path)) is None:  # temporary, or just ended
                continue
            status = monitors.setdefault(path, LivenessMonitor(lease, here, timing)).status(lease)
            found[status].append(path)
            holders[path] = lease.holder
        unknown = found[Liveness.UNKNOWN]
        if found[Liveness.ALIVE] or not unknown:
            return [*found[Liveness.ALIVE], *unknown], found[Liveness.DEAD]
        if not reported:
            print(
                f"{runs.parent}: {holders[unknown[0]]} ran Snakemake here. After "
                f"{timing.timeout_seconds:g} s without a heartbeat it counts as killed, and this run "
                "continues.",
                file=sys.stderr,
            )
            reported = True
        timing.sleep(timing.poll_seconds)


def _end_this_run(_: Holder | None) -> None:
    """Ends this process as Snakemake expects it from a user: with SIGTERM."""
    print(
        "This run lost its lock (no heartbeat for over a minute) and another run has taken over. Exiting.",
        file=sys.stderr,
    )
    os.kill(os.getpid(), signal.SIGTERM)
