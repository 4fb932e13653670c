"""Cancels the cluster jobs of an interrupted run, before the next run submits its own.

If a run that submits jobs to SLURM is killed, its jobs remain, waiting or running; the next run would
submit the same steps again. Results would not suffer (a journal has one writer, files are complete or
absent), but hours of cluster time would be lost. Such jobs are recognized by their working directory and by
their name, which the profile starts with `PREFIX`.
"""

import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.orchestration.slurm_cluster import slurm_output
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log

PREFIX = "bfcl"
"""The prefix of job names that the profile sets (`slurm-jobname-prefix`)."""

PATIENCE_SECONDS = 600.0
"""For cancelled jobs to end: a cluster takes minutes to give up on a node that does not respond."""

_NAME = re.compile(rf"{PREFIX}_[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")
_FORMAT = "%i|%T|%N|%j|%Z"  # the directory last: it may contain any character
_POLL_SECONDS = 0.5
_CANCEL_SECONDS = 60.0  # between two scancel commands


@dataclass(frozen=True, slots=True)
class OrphanedJob:
    """One job in the queue."""

    id: str
    state: str  # in SLURM's words
    node: str  # where it runs; empty if it waits

    def __str__(self) -> str:
        return f"{self.id} ({self.state.lower()}{f' on {self.node}' if self.node else ''})"


def end_orphaned_jobs(folder: Path, log: Log) -> int:
    """Cancels the jobs whose working directory is `folder`, and waits until they have ended.

    Must only be called while no other run is active in that directory.

    Returns:
        The number of jobs; 0, with nothing done, without SLURM.

    Raises:
        ConfigError: they do not end.
    """
    jobs = _orphaned(folder) if shutil.which("squeue") else None
    if not jobs:
        return 0
    log(f"Cancelling jobs that an earlier run left in the queue: {_listed(jobs)}.")
    remaining: list[OrphanedJob] | None = jobs
    deadline = time.monotonic() + PATIENCE_SECONDS
    next_cancel = 0.0
    while remaining != []:
        now = time.monotonic()
        if now > deadline:
            raise ConfigError(
                f"jobs that an earlier run left in the queue do not end: {_listed(remaining or jobs)}. "
                "See `squeue`, and run again when they are gone."
            )
        if now > next_cancel:
            slurm_output("scancel", *(job.id for job in remaining or jobs))
            next_cancel = now + _CANCEL_SECONDS
        else:
            time.sleep(_POLL_SECONDS)
        remaining = _orphaned(folder)
    return len(jobs)


def _orphaned(folder: Path) -> list[OrphanedJob] | None:
    """This user's jobs in the queue that run in `folder`, by whatever path; None if squeue fails."""
    listing = slurm_output("squeue", "--noheader", f"--user={os.getuid()}", f"--format={_FORMAT}")
    if listing is None:
        return None
    rows = [line.split("|", 4) for line in listing.splitlines()]
    return [
        OrphanedJob(number, state, node)
        for number, state, node, name, directory in rows
        if is_own_job(name, directory, folder)
    ]


def is_own_job(name: str, directory: str, folder: Path) -> bool:
    """Whether a job with that name and working directory is one of a run in `folder`, by whatever path."""
    return _NAME.fullmatch(name) is not None and Path(directory).resolve() == folder.resolve()


def _listed(jobs: list[OrphanedJob]) -> str:
    return ", ".join(map(str, jobs))
