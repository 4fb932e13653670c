"""Which jobs are ended before a run starts, on a cluster."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from bfcl_pipeline.ask.orchestration.cluster_queue import PREFIX, end_orphaned_jobs
from tests.slurm.slurm_cluster import Cluster


@pytest.fixture
def found(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The cluster, where a run that starts here finds it."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    return cluster


def submitted(cluster: Cluster, folder: Path, name: str, *options: str) -> str:
    """The number of a job that runs in `folder` until it is ended."""
    folder.mkdir(exist_ok=True)
    words = [f"--job-name={name}", f"--chdir={folder}", "--output=/dev/null", *options]
    return cluster.command_output(
        "sbatch", "--parsable", "--mem=10", *words, "--wrap=exec sleep inf"
    ).strip()


def test_only_orphaned_jobs_are_ended(found: Cluster, tmp_path: Path) -> None:
    """Running and pending ones, with any path of the folder; not those of other folders or names."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    name = f"{PREFIX}_{uuid.uuid4()}"
    left = [submitted(found, tmp_path, name), submitted(found, tmp_path, name, "--hold")]
    others = [
        submitted(found, tmp_path / "elsewhere", name),
        submitted(found, tmp_path, "mine"),
        submitted(found, tmp_path, PREFIX),
    ]
    logged: list[str] = []
    try:
        assert end_orphaned_jobs(link, logged.append) == len(left)
        assert end_orphaned_jobs(link, logged.append) == 0
        states = {job.id: job.state for job in found.jobs()}
        assert {states[number] for number in left} == {"CANCELLED"}
        assert not {states[number] for number in others} & {"CANCELLED", "COMPLETING"}
        assert len(logged) == 1
        assert all(number in logged[0] for number in left)
    finally:
        found.command_output("scancel", *others)


def test_nothing_happens_without_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its commands are absent or fail."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert end_orphaned_jobs(tmp_path, print) == 0
    (tmp_path / "squeue").symlink_to("/bin/false")
    assert end_orphaned_jobs(tmp_path, print) == 0
