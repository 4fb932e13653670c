"""The jobs of this folder in the queue of a SLURM cluster: those of a killed run, and those that are stuck.

If a run that submits jobs is killed, its jobs remain, waiting or running; the next run would submit the
same steps again. Results would not suffer (a journal has one writer, files are complete or absent), but
hours of cluster time would be lost: so they are cancelled first. SLURM also accepts jobs that can never
start, and nothing else reports why: a run would wait in silence. Jobs of a run are recognized by their
working directory and by their name, which the profile starts with `PREFIX`.
"""

import os
import re
import shutil
import threading
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

FIRST_SECONDS = 10.0
"""Time to the first look for stuck jobs."""

INTERVAL_SECONDS = 60.0
"""Time between later looks."""

_NAME = re.compile(rf"{PREFIX}_[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")
_FORMAT = "%i|%T|%N|%j|%P|%C|%m|%k|%r|%Z"  # the directory last: it may contain any character
_POLL_SECONDS = 0.5
_CANCEL_SECONDS = 60.0  # between two scancel commands

_ADVICE = {
    ("PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit", "BadConstraints"): (
        "no node of its partition has what it asks for. Lower cpus_per_task, mem_mb or runtime in the "
        "resources of the model's row, or set another slurm_partition"
    ),
    ("PartitionDown", "PartitionInactive"): (
        "the partition does not start jobs now. Set another slurm_partition, or wait"
    ),
    ("ReqNodeNotAvail", "NodeDown", "Nodes required"): (
        "the nodes that it needs are down, drained or reserved (see `sinfo -R`)"
    ),
    ("AccountNotAllowed", "AccountingPolicy", "InvalidAccount", "InvalidQOS", "QOSNotAllowed"): (
        "check slurm_account, qos and slurm_partition in `default-resources` of the profile"
    ),
    ("JobHeld", "launch failed requeued held"): (
        "its owner or an administrator holds it: scontrol release JOB, or ask them"
    ),
    ("Assoc", "QOS", "MaxCpuPerAccount"): (
        "a limit of the account or its quality of service. It may pass when other jobs end; otherwise "
        "lower the resources, or set another slurm_account or qos"
    ),
    ("DependencyNeverSatisfied",): "a job on which it depends has failed: scancel it",
}
"""What to do about pending reasons, by their beginnings; reasons that pass by themselves are not listed."""


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """One job in the queue, in SLURM's words."""

    id: str
    state: str
    node: str  # where it runs; empty if it waits
    name: str
    partition: str
    processors: str
    memory: str
    rules: str  # the rule or group, as the executor names it
    reason: str  # why it waits

    def __str__(self) -> str:
        return f"{self.id} ({self.state.lower()}{f' on {self.node}' if self.node else ''})"

    @property
    def advice(self) -> str:
        """What to do, if it waits for something that does not come by itself; else empty."""
        advice = next((text for starts, text in _ADVICE.items() if self.reason.startswith(starts)), "")
        return advice if self.state == "PENDING" else ""

    @property
    def stuck(self) -> str:
        """Why it waits, and what to do."""
        return (
            f"Job {self.id} ({self.rules}) waits in the queue because of {self.reason}: {self.advice}. It "
            f"asks for {self.processors} CPUs and {self.memory} of memory in partition {self.partition}."
        )


def queued_jobs(folder: Path) -> list[QueuedJob] | None:
    """This user's jobs that run in `folder`, by whatever path; None if squeue fails, as without SLURM."""
    listing = slurm_output("squeue", "--noheader", f"--user={os.getuid()}", f"--format={_FORMAT}")
    if listing is None:
        return None
    rows = [line.split("|", 9) for line in listing.splitlines()]
    jobs = [(QueuedJob(*fields), directory) for *fields, directory in rows if len(fields) == 9]
    here = folder.resolve()
    return [
        job
        for job, directory in jobs
        if _NAME.fullmatch(job.name) is not None and Path(directory).resolve() == here
    ]


def end_orphaned_jobs(folder: Path, log: Log) -> int:
    """Cancels the jobs whose working directory is `folder`, and waits until they have ended.

    Must only be called while no other run is active in that directory.

    Returns:
        The number of jobs; 0, with nothing done, without SLURM.

    Raises:
        ConfigError: they do not end.
    """
    jobs = queued_jobs(folder) if shutil.which("squeue") else None
    if not jobs:
        return 0
    log(f"Cancelling jobs that an earlier run left in the queue: {', '.join(map(str, jobs))}.")
    remaining: list[QueuedJob] | None = jobs
    deadline = time.monotonic() + PATIENCE_SECONDS
    next_cancel = 0.0
    while remaining != []:
        now = time.monotonic()
        if now > deadline:
            raise ConfigError(
                "jobs that an earlier run left in the queue do not end: "
                f"{', '.join(map(str, remaining or jobs))}. See `squeue`, and run again when they are gone."
            )
        if now > next_cancel:
            slurm_output("scancel", *(job.id for job in remaining or jobs))
            next_cancel = now + _CANCEL_SECONDS
        else:
            time.sleep(_POLL_SECONDS)
        remaining = queued_jobs(folder)
    return len(jobs)


def watch_stuck_jobs(folder: Path, log: Log) -> None:
    """Reports each job that does not start by itself once, from a thread that ends with the process."""

    def look() -> None:
        reported: set[tuple[str, str]] = set()
        time.sleep(FIRST_SECONDS)
        while True:
            for job in queued_jobs(folder) or ():
                if job.advice and (job.id, job.reason) not in reported:
                    reported.add((job.id, job.reason))
                    log(job.stuck)
            time.sleep(INTERVAL_SECONDS)

    threading.Thread(target=look, name="stuck jobs", daemon=True).start()
