"""The embedded models on a cluster. BFCL_SLURM_FULL=1 runs all entries and prints the times."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.slurm.cluster_project import ClusterProject, contents, different, finished
from tests.support.snakemake_project import make_project

SAMPLE = {
    "run": "small",
    "models": "[oracle-FC,lexical]",
    "categories": "[simple_python,multi_turn_base,memory_kv]",
    "sample": "40",
}
FULL = {"run": "full"}


def run_here(project: ClusterProject, folder: Path, **config: str) -> dict[str, bytes]:
    """The results of a run on this machine with the same data."""
    folder.mkdir()
    here = make_project(folder)
    (folder / "data").symlink_to(project.folder / "data")
    with here.start(**config) as process:
        finished(process)
    return contents(folder / "results" / config["run"])


def test_a_cluster_writes_the_same_bytes_as_one_machine(project: ClusterProject, tmp_path: Path) -> None:
    """Each model is one job, which generates and scores all categories; tables and report are another."""
    project.complete(**SAMPLE)
    rules = [job.comment.partition("_wildcards")[0] for job in project.jobs()]
    assert sorted(rules) == sorted(
        [
            "rule_judged_oracle-FC_generate_oracle-FC_score",
            "rule_judged_lexical_generate_lexical_score",
            "rule_report_aggregate_report",
        ]
    )
    assert {job.state for job in project.jobs()} == {"COMPLETED"}
    assert different(project.results("small"), run_here(project, tmp_path / "here", **SAMPLE)) == []


@pytest.mark.skipif(os.environ.get("BFCL_SLURM_FULL") != "1", reason="minutes; BFCL_SLURM_FULL=1 runs it")
def test_the_whole_benchmark_has_the_same_bytes(
    project: ClusterProject, staged_encoder: Path, tmp_path: Path
) -> None:
    """The run of `make run`, every entry, with the profile as it is; the times are printed."""
    (project.folder / "data/encoder").symlink_to(staged_encoder.resolve())
    started = time.monotonic()
    project.complete(quick=False, **FULL)
    submitted = time.monotonic()
    jobs = len(project.jobs())  # the cluster forgets them
    here = run_here(project, tmp_path / "here", **FULL)
    ended = time.monotonic()
    print(f"cluster {submitted - started:.0f} s, here {ended - submitted:.0f} s, {jobs} jobs")
    assert different(project.results("full"), here) == []
