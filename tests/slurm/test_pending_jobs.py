"""Jobs that the cluster accepts and can never start, and clusters whose commands are missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.ask.orchestration.cluster_queue import QueuedJob, queued_jobs
from bfcl_pipeline.ask.orchestration.slurm_cluster import (
    PROGRAMS,
    NodeLimits,
    largest_node,
    read_partitions,
)
from tests.slurm.cluster_project import ClusterProject
from tests.slurm.slurm_cluster import Cluster, until

SMALL = {"run": "small", "models": "[oracle]", "categories": "[simple_python]", "sample": "2"}
UUID = "bfcl_00000000-0000-0000-0000-000000000000"


def test_the_reason_of_a_job_that_cannot_start_is_printed(project: ClusterProject) -> None:
    """A run whose jobs ask for a time beyond the limit of their partition says so, with what to change."""
    project.cluster.command_output("scontrol", "update", "partitionname=gpu", "maxtime=5")
    partition = ("--set-resources", "stage:slurm_partition=gpu", "generate_oracle:slurm_partition=gpu")
    try:
        with project.started(*partition, **SMALL) as process:
            assert process.stdout is not None
            line = next(line for line in process.stdout if "waits in the queue" in line)
        assert "PartitionTimeLimit: no node of its partition has what it asks for" in line
        assert "in partition gpu" in line
    finally:
        project.cluster.command_output("scontrol", "update", "partitionname=gpu", "maxtime=infinite")
        project.cluster.end_jobs(project.folder)


def test_only_own_jobs_with_a_lasting_reason_are_stuck(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A held job of the folder is; a job that waits for its time, and one of another folder, are not."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    other = tmp_path / "other"
    other.mkdir()
    for folder, option in ((tmp_path, "--hold"), (tmp_path, "--begin=now+1hour"), (other, "--hold")):
        command = ["sbatch", option, f"--job-name={UUID}", f"--chdir={folder}", "--wrap=true"]
        cluster.command_output(*command)

    def stuck_jobs() -> list[QueuedJob]:
        return [job for job in queued_jobs(tmp_path) or () if job.advice]

    try:
        until(stuck_jobs, "the held job is in the queue")
        (stuck,) = stuck_jobs()
        assert stuck.reason == "JobHeldUser"
        assert "scontrol release" in stuck.stuck
    finally:
        cluster.end_jobs(tmp_path)
        cluster.end_jobs(other)


def test_the_nodes_of_the_cluster_are_read(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors, memory and GPUs of both partitions, as the cluster's configuration has them."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    found = read_partitions()
    assert found[""] == found["cpu"]
    assert largest_node(found) == NodeLimits(2, 16_000, 2, None)
    assert largest_node(found, "gpu", 3) is None


def test_a_run_without_slurms_commands_says_so_at_once(project: ClusterProject) -> None:
    """With the profile and without `sbatch` on PATH, one line says what to load; no job is submitted."""
    bare = project.folder / "bin"
    bare.mkdir()
    for program in Path("/usr/bin").iterdir():
        if program.name not in PROGRAMS:
            (bare / program.name).symlink_to(program)
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", "slurm"]
    command += ["--config", *(f"{key}={value}" for key, value in SMALL.items())]
    done = subprocess.run(
        command,
        cwd=project.folder,
        env={**os.environ, "PATH": str(bare), "XDG_CACHE_HOME": str(project.folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "sbatch, squeue, sinfo, scancel are not on PATH" in done.stdout
    assert "guess" not in done.stdout
