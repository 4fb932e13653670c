"""The queue of a cluster as `squeue` lists it; `tests/slurm` has a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.ask.orchestration import cluster_queue

NAME = "bfcl_00000000-0000-0000-0000-000000000000"
LISTING = """\
7|PENDING||{name}|gpu|2|4G|rule_generate|PartitionTimeLimit|{folder}
8|RUNNING|n1|{name}|gpu|2|4G|rule_score|None|{folder}
9|PENDING||{name}|gpu|2|4G|rule_score|Priority|{folder}
10|RUNNING|n1|mine|gpu|2|4G||None|{folder}
11|RUNNING|n1|{name}|gpu|2|4G||None|/elsewhere
slurm_load_jobs: a warning
"""


def test_jobs_are_those_of_the_folder_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits for what does not come by itself has advice; others have none."""
    listing = LISTING.format(name=NAME, folder=tmp_path)
    monkeypatch.setattr(cluster_queue, "slurm_output", lambda *_: listing)
    jobs = cluster_queue.queued_jobs(tmp_path)
    assert jobs is not None
    assert list(map(str, jobs)) == ["7 (pending)", "8 (running on n1)", "9 (pending)"]
    assert [bool(job.advice) for job in jobs] == [True, False, False]
    assert jobs[0].stuck.startswith(
        "Job 7 (rule_generate) waits in the queue because of PartitionTimeLimit: no node of its partition"
    )
    assert jobs[0].stuck.endswith("It asks for 2 CPUs and 4G of memory in partition gpu.")
