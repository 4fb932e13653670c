"""The cluster resources of a model's jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.ask.orchestration.job_files import generation_resources, serving_resources
from bfcl_pipeline.ask.orchestration.slurm_cluster import NodeLimits
from bfcl_pipeline.benchmark.config import ModelRow, load_models


def row(tmp_path: Path, **resources: int | str) -> ModelRow:
    """The row of a local model with two GPUs."""
    models = tmp_path / "models.yaml"
    document = {"name": "m", "kind": "vllm", "vllm": {"gpus": 2}, "resources": resources}
    models.write_text(yaml.safe_dump({"models": [document]}))
    return load_models(models)["m"]


def numbers(resources: dict[str, Any], attempt: int) -> dict[str, Any]:
    """`resources` as Snakemake evaluates them."""
    return {
        name: value(None, attempt=attempt) if callable(value) else value
        for name, value in resources.items()
    }


def test_a_row_without_resources_gets_enough_for_its_gpus(tmp_path: Path) -> None:
    """The server has CPUs and memory for each GPU, the generation job beside it the same runtime."""
    plain = row(tmp_path)
    serving = numbers(serving_resources(plain), attempt=1)
    assert serving == {"gpu": 2, "cpus_per_task": 8, "mem_mb": 64_000, "runtime": 480}
    assert numbers(generation_resources(plain, served=True), attempt=1) == {"runtime": 480, "mem_mb": 0}


def test_a_row_overrides_the_defaults(tmp_path: Path) -> None:
    """Numbers are set on the server only, texts on both; without a server the generation job has all."""
    stated = row(tmp_path, mem_mb=9000, slurm_partition="gpu", runtime=60)
    serving = numbers(serving_resources(stated), attempt=1)
    assert serving == {
        "gpu": 2,
        "cpus_per_task": 8,
        "mem_mb": 9000,
        "slurm_partition": "gpu",
        "runtime": 60,
    }
    beside = numbers(generation_resources(stated, served=True), attempt=1)
    assert beside == {"slurm_partition": "gpu", "runtime": 60, "mem_mb": 0}
    alone = numbers(generation_resources(stated, served=False), attempt=1)
    assert alone == {"mem_mb": 9000, "slurm_partition": "gpu", "runtime": 60}


def test_each_attempt_has_more_time(tmp_path: Path) -> None:
    """In minutes; a runtime given as text is unchanged."""
    stated = row(tmp_path, runtime=60)
    times = [numbers(serving_resources(stated), attempt)["runtime"] for attempt in (1, 2, 3)]
    assert times == [60, 120, 180]
    assert (
        numbers(generation_resources(row(tmp_path, runtime="8h"), served=True), attempt=2)["runtime"]
        == "8h"
    )


def test_a_job_asks_for_no_more_than_the_largest_node_has(tmp_path: Path) -> None:
    """Processors, memory and time are limited, at every attempt; smaller numbers and texts are not."""
    node = NodeLimits(processors=6, megabytes=16_000, gpus=2, minutes=600)
    serving = serving_resources(row(tmp_path, slurm_partition="gpu"), lambda _row: node)
    assert numbers(serving, attempt=2) == {
        "gpu": 2,
        "cpus_per_task": 6,
        "mem_mb": 16_000,
        "runtime": 600,
        "slurm_partition": "gpu",
    }
    small = row(tmp_path, cpus_per_task=2, mem_mb=900, runtime=60)
    alone = generation_resources(small, served=False, largest=lambda _row: node)
    assert numbers(alone, attempt=1) == {"cpus_per_task": 2, "mem_mb": 900, "runtime": 60}
