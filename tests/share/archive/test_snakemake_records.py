"""Snakemake's records of a run, read from its directory."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from bfcl_pipeline.share.archive.contents import logs_of, read_steps

LONG = f"results/a/responses/{'m' * 200}/simple_python.parquet"


def put(state: Path, output: str, **record: Any) -> None:
    name = base64.urlsafe_b64encode(output.encode()).decode()
    parts = [name[start : start + 254] for start in range(0, len(name), 254)]
    path = state.joinpath("metadata", *(f"@{part}" for part in parts[:-1]), parts[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


def test_outputs_of_one_job_are_one_step(tmp_path: Path) -> None:
    """By time, with all outputs that belong to the run; absolute paths keep their last part."""
    command = "/opt/venv/bin/bfcl-pipeline generate"
    job = {"rule": "generate", "log": ["x.log"], "shellcmd": command, "job_hash": 1}
    put(tmp_path, LONG, **job, starttime=20.5, endtime=30)
    put(tmp_path, "results/a/memory/m/memory_kv.parquet", **job, starttime=20.25, endtime=30)
    put(tmp_path, "results/b/memory/m/memory_kv.parquet", **job, starttime=1, endtime=2)
    put(tmp_path, "results/a/shards/m@1of2/x.parquet", rule="earlier", starttime=10, endtime=11)
    steps = read_steps(tmp_path, lambda output: output.startswith("results/a/"))
    assert [step.record["rule"] for step in steps] == ["earlier", "generate"]
    assert json.loads(steps[1].line()) == {
        "outputs": ["results/a/memory/m/memory_kv.parquet", LONG],
        "start": "1970-01-01T00:00:20.250+00:00",
        "end": "1970-01-01T00:00:30.000+00:00",
        "rule": "generate",
        "log": ["x.log"],
        "shellcmd": ".../bfcl-pipeline generate",
    }


def test_records_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    """Damaged records, records of unfinished steps or in another form, and a directory without records are
    skipped."""
    put(tmp_path, "results/a/x", rule="unfinished", starttime=1, endtime=None)
    put(tmp_path, "results/a/y", rule="odd", starttime=True, endtime="now")
    (tmp_path / "metadata/no base64").write_text("{}")
    (tmp_path / "metadata/eA==").write_text("{")
    assert read_steps(tmp_path, lambda _: True) == []
    assert read_steps(tmp_path / "none", lambda _: True) == []
    assert logs_of(tmp_path / "none", "a") == []


def test_logs_that_mention_the_run_are_found(tmp_path: Path) -> None:
    """Only logs of the run are found, even if its name is part of another run's name."""
    (tmp_path / "log").mkdir()
    steps = [f"Job 1: Keep the config of {run}\n" for run in ("a", "ab")]
    for number, text in enumerate([*steps, "see results/a/logs", "nothing"]):
        (tmp_path / f"log/{number}.snakemake.log").write_text(text)
    assert [path.name[0] for path in logs_of(tmp_path, "a")] == ["0", "2"]
