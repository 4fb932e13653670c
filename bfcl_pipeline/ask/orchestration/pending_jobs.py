"""Prints why jobs wait in the queue of a cluster, if the reason does not pass by itself.

SLURM accepts jobs that can never start, and nothing else reports why: a run would wait in silence.
"""

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.orchestration.orphaned_jobs import is_own_job
from bfcl_pipeline.ask.orchestration.slurm_cluster import slurm_output
from bfcl_pipeline.base.text import Log

FIRST_SECONDS = 10.0
"""Time to the first look at the queue."""

INTERVAL_SECONDS = 60.0
"""Time between later looks."""

_SMALLER = (
    "no node of its partition has what it asks for. Lower cpus_per_task, mem_mb or runtime in the "
    "resources of the model's row, or set another slurm_partition"
)
_ACCOUNT = "check slurm_account, qos and slurm_partition in `default-resources` of the profile"
_HELD = "its owner or an administrator holds it: scontrol release JOB, or ask them"
_LIMIT = (
    "a limit of the account or its quality of service. It may pass when other jobs end; otherwise lower "
    "the resources, or set another slurm_account or qos"
)

_ADVICE = {
    "PartitionConfig": _SMALLER,
    "PartitionNodeLimit": _SMALLER,
    "PartitionTimeLimit": _SMALLER,
    "BadConstraints": _SMALLER,
    "PartitionDown": "the partition does not start jobs now. Set another slurm_partition, or wait",
    "PartitionInactive": "the partition does not start jobs now. Set another slurm_partition, or wait",
    "ReqNodeNotAvail": "the nodes that it needs are down, drained or reserved (see `sinfo -R`)",
    "NodeDown": "the nodes that it needs are down (see `sinfo -R`)",
    "Nodes required": "the nodes that it needs are down, drained or reserved (see `sinfo -R`)",
    "AccountNotAllowed": _ACCOUNT,
    "AccountingPolicy": _ACCOUNT,
    "InvalidAccount": _ACCOUNT,
    "InvalidQOS": _ACCOUNT,
    "QOSNotAllowed": _ACCOUNT,
    "JobHeld": _HELD,
    "Assoc": _LIMIT,
    "QOS": _LIMIT,
    "MaxCpuPerAccount": _LIMIT,
    "DependencyNeverSatisfied": "a job on which it depends has failed: scancel it",
    "launch failed requeued held": _HELD,
}
"""What to do about a pending reason, by its beginning; reasons that pass by themselves are not listed."""

_FORMAT = "%i|%j|%P|%C|%m|%k|%r|%Z"  # the directory last: it may contain any character


@dataclass(frozen=True, slots=True)
class StuckJob:
    """A job that waits for something that does not come by itself."""

    id: str
    rules: str  # the rule or group, as the executor names it
    partition: str
    processors: str
    memory: str  # as SLURM writes it
    reason: str  # in SLURM's words

    def __str__(self) -> str:
        advice = next(text for start, text in _ADVICE.items() if self.reason.startswith(start))
        return (
            f"Job {self.id} ({self.rules}) waits in the queue because of {self.reason}: {advice}. It asks "
            f"for {self.processors} CPUs and {self.memory} of memory in partition {self.partition}."
        )


def stuck_jobs(folder: Path) -> list[StuckJob]:
    """The pending jobs of runs in `folder` that do not start by themselves; empty without SLURM."""
    listing = slurm_output("squeue", "--noheader", "--me", "--states=PENDING", f"--format={_FORMAT}")
    return list(_parsed(listing or "", folder))


def _parsed(listing: str, folder: Path) -> Iterator[StuckJob]:
    for line in listing.splitlines():
        fields = line.split("|", 7)
        if len(fields) != 8 or not is_own_job(fields[1], fields[7], folder):
            continue
        number, _, partition, processors, memory, rules, reason, _ = fields
        if reason.startswith(tuple(_ADVICE)):
            yield StuckJob(number, rules, partition, processors, memory, reason)


def watch_pending_jobs(folder: Path, log: Log | None = None) -> threading.Event:
    """Reports each stuck job once, from a thread that ends with the process or when the event is set."""
    ended = threading.Event()

    def look() -> None:
        reported: set[tuple[str, str]] = set()
        wait = FIRST_SECONDS
        while not ended.wait(wait):
            for job in stuck_jobs(folder):
                if (job.id, job.reason) not in reported:
                    reported.add((job.id, job.reason))
                    (log or _print)(str(job))
            wait = INTERVAL_SECONDS

    threading.Thread(target=look, name="pending jobs", daemon=True).start()
    return ended


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
