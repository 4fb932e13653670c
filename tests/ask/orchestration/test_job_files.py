"""The files of one job in the workflow, and its resources on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.ask.orchestration.job_files import (
    ENCODER,
    JobFiles,
    generation_resources,
    group_shards,
    in_turn,
    job_files,
    serving_resources,
)
from bfcl_pipeline.ask.orchestration.slurm_cluster import NodeLimits
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Selection, Shard, load_models
from bfcl_pipeline.benchmark.records import Mode


def files(shard: Shard | None = None, **fields: Any) -> JobFiles:
    row = ModelRow(name="org/m-FC", kind="vllm", mode=Mode.FC, display_name="m")
    categories = fields.pop("categories", ("multiple", "memory_kv"))
    selection = Selection(shard=shard or Shard())
    return job_files(Job(row=row, categories=categories, run="r", selection=selection, **fields))


def test_a_job_alone_writes_the_tables_of_the_run() -> None:
    """Responses of every category, sessions of those that have some."""
    one = files()
    assert one.entries == ["data/entries/multiple.parquet", "data/entries/memory_kv.parquet"]
    assert one.responses == [
        "results/r/responses/org_m-FC/multiple.parquet",
        "results/r/responses/org_m-FC/memory_kv.parquet",
    ]
    assert one.sessions == ["results/r/memory/org_m-FC/memory_kv.parquet"]
    assert one.staged == ["data/release/texts.json", *one.entries]
    assert (one.server, one.previous_trial) == ([], [])


def test_shards_write_tables_of_their_own() -> None:
    """They are gathered into the tables of the run."""
    first, second = files(Shard(1, 2)), files(Shard(2, 2))
    assert first.name == "org_m-FC@1of2"
    assert first.responses[0] == "results/r/shards/org_m-FC@1of2/responses/multiple.parquet"
    assert second.sessions == ["results/r/shards/org_m-FC@2of2/memory/memory_kv.parquet"]
    assert group_shards([first, second, files(trial=2)]) == {"org_m-FC": [first, second]}


def test_what_a_job_waits_for() -> None:
    """Its server, the encoder of a memory of vectors, and the trial before."""
    status = Path("results/r/servers/org_m-FC.json")
    one = files(trial=3, categories=("memory_vector",), paths=JobPaths(endpoint=status))
    assert (one.server, one.staged[-1]) == ([str(status)], ENCODER)
    assert one.previous_trial == ["results/r/responses/org_m-FC~2/memory_vector.parquet"]


def test_conditions_of_a_model_wait_for_each_other() -> None:
    """Each waits for all shards of the one before it; another model waits for none."""
    asked = [("m", 1), ("m+stream", 1), ("m+stream", 2), ("m+load=1", 1), ("o", 1)]
    steps = [
        job_files(
            Job(
                row=ModelRow(name=name, kind="openai_chat", mode=Mode.PROMPT, display_name="m"),
                categories=("multiple",),
                run="r",
                selection=Selection(shard=Shard(shard, 2)),
            )
        )
        for name, shard in asked
    ]
    waits = [step.previous_trial for step in in_turn(steps)]
    assert waits[0] == waits[4] == []
    assert waits[1] == waits[2] == steps[0].responses
    assert waits[3] == [*steps[1].responses, *steps[2].responses]


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
