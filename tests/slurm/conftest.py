"""A cluster that all tests here share, and projects on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.slurm.cluster_project import ClusterProject, new_cluster_project
from tests.slurm.slurm_cluster import Cluster, lacking, running_cluster

REQUIRED = "BFCL_SLURM_REQUIRED"


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster. If none can be started, skips with the reason, or fails if BFCL_SLURM_REQUIRED=1 is
    set."""
    if reason := lacking():
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{reason} {REQUIRED}=1 asks for it.")
        pytest.skip(reason)
    with TemporaryDirectory(prefix="slurm-") as folder, running_cluster(Path(folder)) as started:
        yield started


@pytest.fixture
def project(cluster: Cluster, tmp_path: Path, staged: Path) -> ClusterProject:
    """A project on the cluster, with the benchmark staged, before any run."""
    folder = tmp_path / "project"
    folder.mkdir()
    return new_cluster_project(folder, staged, cluster)
