"""The files of one job in the workflow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.orchestration.job_files import ENCODER, JobFiles, group_shards, in_turn, job_files
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Selection, Shard
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
