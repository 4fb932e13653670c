"""What the rules of the workflow have for one job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.ask.orchestration.job_files import JobFiles, Value, job_files
from bfcl_pipeline.ask.orchestration.slurm_cluster import NodeLimits
from bfcl_pipeline.benchmark.config import ModelRow, load_run
from bfcl_pipeline.benchmark.records import Mode
from tests.ask.orchestration.test_finished_results import CONFIG

SMALL = NodeLimits(processors=2, megabytes=1000, gpus=1, minutes=30)


def step(kind: str, **changes: Any) -> JobFiles:
    """The step of the only model of a run, on a cluster with small nodes."""
    row = ModelRow(name="m", kind=kind, mode=Mode.PROMPT, display_name="m", model="m")
    (job,) = load_run({**CONFIG, "models": ["m"], **changes}, {"m": row}).jobs
    return job_files(job, lambda _row: SMALL)


def submitted(resources: Mapping[str, Value]) -> dict[str, int | str]:
    """The values with which a job is submitted at first."""
    return {name: value(None, 1) if callable(value) else value for name, value in resources.items()}


def test_a_step_asks_for_resources_only_to_send_requests() -> None:
    """They are limited to the nodes of the cluster; embedded models and replays have the profile's."""
    assert submitted(step("openai_chat").resources) == {"runtime": 30}
    assert (step("oracle").resources, step("openai_chat", replay=True).resources) == ({}, {})
    served = step("vllm")
    assert submitted(served.resources) == {"runtime": 30, "mem_mb": 0}
    assert submitted(served.server_resources) == {
        "cpus_per_task": 2,
        "gpu": 1,
        "mem_mb": 1000,
        "runtime": 30,
    }


def test_what_reaches_the_web_decides_no_answer() -> None:
    """The command has proxy, pause and the record of what made the answers; they repeat no step."""
    one = step("openai_chat", categories=["web_search"], web="record", web_pause=5)
    assert {"--web-pause=5", *one.provenance} <= {*one.options}
    assert {*one.options} - {*one.deciding} == {"--web-pause=5", *one.provenance}
    assert one.answers == []
