"""What the jobs of a model take on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.config import ModelRow, asking_resources, load_models, serving_resources


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
    """The server has processors and memory for each, the asking the same time and nothing else."""
    silent = row(tmp_path)
    serving = numbers(serving_resources(silent), attempt=1)
    assert serving == {"gpu": 2, "cpus_per_task": 8, "mem_mb": 64_000, "runtime": 480}
    assert numbers(asking_resources(silent, served=True), attempt=1) == {"runtime": 480}


def test_what_a_row_says_holds(tmp_path: Path) -> None:
    """Numbers count once for server and asking, words are said by both; alone, the asking has all."""
    telling = row(tmp_path, mem_mb=9000, slurm_partition="gpu", runtime=60)
    serving = numbers(serving_resources(telling), attempt=1)
    assert serving == {
        "gpu": 2,
        "cpus_per_task": 8,
        "mem_mb": 9000,
        "slurm_partition": "gpu",
        "runtime": 60,
    }
    beside = numbers(asking_resources(telling, served=True), attempt=1)
    assert beside == {"slurm_partition": "gpu", "runtime": 60}
    alone = numbers(asking_resources(telling, served=False), attempt=1)
    assert alone == {"mem_mb": 9000, "slurm_partition": "gpu", "runtime": 60}


def test_each_attempt_has_more_time(tmp_path: Path) -> None:
    """In minutes; a time in words is left alone."""
    telling = row(tmp_path, runtime=60)
    times = [numbers(serving_resources(telling), attempt)["runtime"] for attempt in (1, 2, 3)]
    assert times == [60, 120, 180]
    assert numbers(asking_resources(row(tmp_path, runtime="8h"), served=True), attempt=2)["runtime"] == "8h"
