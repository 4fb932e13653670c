"""One cluster for all tests here, and projects on it; lets the tests import their helpers by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cluster_project import ClusterProject, new_cluster_project  # only found now
from slurm_cluster import Cluster, lacking, running_cluster

REQUIRED = "BFCL_SLURM_REQUIRED"


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster. Skips, saying why, where none can be started; fails if BFCL_SLURM_REQUIRED=1 is set."""
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
