"""A local model on a cluster: its real vLLM server and its generation job in one allocation with GPUs.

The GPUs are pretended, the model is tiny (tests/vllm).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from tests.slurm.cluster_project import ClusterProject, different, new_cluster_project
from tests.slurm.slurm_cluster import Cluster, until
from tests.support.tiny_vllm import find_vllm, make_models_file, vllm_variables

MODEL = "tiny-called-FC"
RUN = {
    "run": "served",
    "models": f"[{MODEL}]",
    "entry_ids": "[simple_python_0,simple_python_1,multi_turn_base_100,multi_turn_base_101]",
}


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder with a short name: vLLM's sockets lie in it."""
    with TemporaryDirectory(prefix="vllm-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def run(
    cluster: Cluster, staged: Path, scratch: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], ClusterProject]:
    """Runs the workflow on the cluster, with so many servers."""
    python = find_vllm()
    rows = yaml.safe_load(make_models_file(python, scratch).read_text())["models"]
    (row,) = [row for row in rows if row["name"] == MODEL]
    variables = vllm_variables(python, scratch)

    def complete(shards: int) -> ClusterProject:
        folder = tmp_path_factory.mktemp("served")
        project = new_cluster_project(folder, staged, cluster)
        resources = {"slurm_partition": "gpu", "cpus_per_task": 1, "mem_mb": 3000, "runtime": 30}
        served = {**row, "vllm": {**row["vllm"], "shards": shards}, "resources": resources}
        (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [served]}))
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            project.complete(**RUN)
        return project

    return complete


@pytest.fixture(scope="module")
def one_server(run: Callable[[int], ClusterProject]) -> ClusterProject:
    """A complete run with one server."""
    return run(1)


def allocations(project: ClusterProject) -> list[tuple[int, str, str]]:
    """GPUs, time limit and state of the jobs that had a server."""
    served = [job for job in project.jobs() if "serve" in job.comment]
    return [(project.cluster.gpus(job), job.limit, job.state) for job in served]


def test_a_model_is_served_and_run_in_one_allocation(one_server: ClusterProject, tmp_path: Path) -> None:
    """The server has its GPU and ends; tables and report equal those derived on one machine."""
    assert allocations(one_server) == [(1, "30:00", "COMPLETED")]
    log = one_server.folder / f"results/served/logs/serve/{MODEL}.log"
    assert "ready at http://127.0.0.1:" in log.read_text()
    assert log.read_text().strip().endswith("ended")
    until(lambda: one_server.cluster.processes() == [], "all processes of the jobs end")
    assert different(one_server.results("served"), one_server.derived_here(tmp_path / "here", **RUN)) == []


def test_each_shard_is_a_separate_allocation(
    run: Callable[[int], ClusterProject], one_server: ClusterProject, tmp_path: Path
) -> None:
    """They run side by side, each with its GPU; answers and verdicts equal those of one server."""
    two = run(2)
    assert allocations(two) == [(1, "30:00", "COMPLETED")] * 2
    assert two.responses("served") == one_server.responses("served")
    verdicts = f"verdicts/{MODEL}.parquet"
    assert two.results("served")[verdicts] == one_server.results("served")[verdicts]
    assert different(two.results("served"), two.derived_here(tmp_path / "here", **RUN)) == []
