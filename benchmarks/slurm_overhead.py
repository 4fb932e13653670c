"""Measures the overhead of a cluster job: one small job, several times, on the tests' cluster.

    python -m benchmarks.slurm_overhead [--repeat N]

Prints, as medians in seconds: the time until the job is in the queue, its time in the queue, its run time,
and the part of it that is the command itself; then the time until the run ended, which depends on the
interval at which the profile checks the queue. Has the requirements of `make test-slurm`, and a staged
benchmark in data/.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.slurm.cluster_project import ClusterProject, finished, new_cluster_project
from tests.slurm.slurm_cluster import lacking, running_cluster, until

ROOT = Path(__file__).resolve().parents[1]
RUN = {"run": "small", "models": "[oracle-FC]", "categories": "[simple_python]", "sample": "10"}
COMMAND = ("report", "results/small", "--rules", "official")
LABELS = ("to the queue", "in the queue", "running", "the command", "until seen")


def main() -> None:
    """Prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    if reason := lacking():
        sys.exit(reason)
    with (
        TemporaryDirectory(prefix="slurm-") as own,
        TemporaryDirectory() as folder,
        running_cluster(Path(own)) as cluster,
    ):
        project = new_cluster_project(Path(folder), ROOT / "data", cluster)
        done = project.project.snakemake(**RUN)
        assert done.returncode == 0, done.stdout
        times = [measured(project) for _ in range(repeat)]
    medians = {
        label: statistics.median(column)
        for label, column in zip(LABELS, zip(*times, strict=True), strict=True)
    }
    for label, seconds in medians.items():
        print(f"{label:12} {seconds:6.1f} s")
    overhead = medians["in the queue"] + medians["running"] - medians["the command"]
    print(f"overhead of a job: {overhead:.1f} s (median of {repeat})")


def measured(project: ClusterProject) -> tuple[float, ...]:
    """One job: the seconds of `LABELS`."""
    before = {job.id for job in project.jobs()}

    def state() -> str:
        return next((job.state for job in project.jobs() if job.id not in before), "")

    moments = [time.monotonic()]
    with project.started("--forcerun", "report", quick=False, **RUN) as run:
        for states in (("PENDING", "RUNNING"), ("RUNNING",), ("COMPLETED",)):
            until(lambda states=states: state() in states, f"the job is {states}")  # type: ignore[misc]
            moments.append(time.monotonic())
        finished(run)
    moments.append(time.monotonic())
    queued, waited, ran, seen = (late - early for early, late in pairwise(moments))
    started = time.monotonic()
    program = Path(sys.executable).with_name("bfcl-pipeline")
    subprocess.run([str(program), *COMMAND], cwd=project.folder, check=True, capture_output=True)
    return queued, waited, ran, time.monotonic() - started, seen


if __name__ == "__main__":
    main()
