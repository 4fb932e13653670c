"""Clears away what interrupted runs left in the workflow's directory, as far as no active run may use it.

Snakemake marks its directory with lock files and cannot distinguish those of a killed run from those of an
active one: it refuses to start beside either until someone types `--unlock`. So each run also holds a lease
of its own (`base.leases`), visible on every machine that shares the directory. Which steps are repeated is
decided by Snakemake (`rerun-incomplete`), not here. A cluster may still run jobs of a killed run; see
`orphaned_jobs`. Several runs at once: see `shared_folder`.
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

_INTERRUPTED = ".killed"


@dataclass(frozen=True, slots=True)
class ActiveRun:
    """The run of this process in a directory: active until it is closed or the process ends."""

    lease: Lease
    interrupted: dict[Path, Holder]  # runs killed since the last `forget_interrupted`, by their file
    alone: bool  # whether no other run was active when this one started; else `interrupted` is empty

    def forget_interrupted(self) -> None:
        """Removes the files of interrupted runs: call it once all their jobs have ended."""
        with contextlib.suppress(OSError):
            for path in self.interrupted:
                path.unlink(missing_ok=True)
        self.interrupted.clear()

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
            interrupted = _clear(state, written, startup, timing, here)
            path = runs / f"{run_tag(name)}-{uuid4().hex}"
            lease = Lease(path, "runs Snakemake", timing=timing, here=here, on_lost=_end_this_run)
        finally:
            startup.release()
    except (OSError, LeaseError) as error:
        print(f"{state}: cannot check for interrupted runs ({error}).", file=sys.stderr)
        return None
    run = ActiveRun(lease, interrupted or {}, alone=interrupted is not None)
    atexit.register(run.close)
    return run


def _clear(
    state: Path, written: Iterable[Path], startup: Lease, timing: LeaseTiming, here: Process
) -> dict[Path, Holder] | None:
    """Clears everything and returns the interrupted runs; None if a run is active."""
    runs, marks = state / "runs", state / LOCKS
    observed = _observed(runs, timing, here)
    if observed.active:
        delete_stale_locks(state, {path.name.partition("-")[0] for path in observed.active})
        return None
    dead = observed.dead
    startup.check()  # if we were suspended, another run may hold the lock by now
    now = startup.path.stat().st_mtime
    clear_temporaries(runs.glob(".*.tmp"), now, here)
    if marks.is_dir() and any(marks.iterdir()):
        for folder in written:
            clear_temporaries(folder.rglob(".*.tmp"), now, here)
        shutil.rmtree(marks)
    for path in dead:
        # Renamed, so that the run ends if it is alive after all; not deleted, as this may be a dry run.
        with contextlib.suppress(FileNotFoundError):
            path.rename(path.with_suffix(_INTERRUPTED))
    states = {path: read_lease(path) for path in sorted(runs.glob(f"*{_INTERRUPTED}"))}
    return {path: lease.holder for path, lease in states.items() if lease is not None}


@dataclass(frozen=True, slots=True)
class _Observed:
    """The runs in a directory, by their files."""

    dead: list[Path]
    active: dict[Path, Holder]  # if there are any, with those of which it is not known yet


def _observed(runs: Path, timing: LeaseTiming, here: Process) -> _Observed:
    """Which runs are dead. Runs on other machines are observed together, if no other is active."""
    monitors: dict[Path, LivenessMonitor] = {}
    reported = False
    while True:
        dead: list[Path] = []
        alive: dict[Path, Holder] = {}
        unknown: dict[Path, Holder] = {}
        for path in sorted(runs.iterdir()):
            if path.suffix or (lease := read_lease(path)) is None:  # temporary, interrupted, or just ended
                continue
            status = monitors.setdefault(path, LivenessMonitor(lease, here, timing)).status(lease)
            if status is Liveness.ALIVE:
                alive[path] = lease.holder
            elif status is Liveness.DEAD:
                dead.append(path)
            else:
                unknown[path] = lease.holder
        if alive or not unknown:
            return _Observed(dead, alive | unknown if alive else {})
        if not reported:
            holder = next(iter(unknown.values()))
            print(
                f"{runs.parent}: {holder} ran Snakemake here. After {timing.timeout_seconds:g} s "
                "without a heartbeat it counts as killed, and this run continues.",
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
