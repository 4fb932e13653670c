"""Runs of a small model in the process of the job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.journal import JournalsReader, journals_in

MODEL = "tiny-FC"
CHOICE = ("--category", "simple_python", "--sample", "simple_python=3")


def generate(staged: Path, out: str, *options: str, models: str = "models.yaml") -> None:
    command = ["generate", "--model", MODEL, "--models", models, "--data", str(staged), "--run", "r"]
    command += ["--cache", "exchanges", "--out", out, *CHOICE]
    assert main([*command, *options]) == 0


def answers(folder: Path) -> dict[str, Any]:
    found = {
        response.entry_id: response
        for table in sorted(folder.glob("*.parquet"))
        for response in read_responses(table)
    }
    assert all(response.status is Status.ANSWERED for response in found.values()), found
    return {name: response.result_json for name, response in found.items()}


def journaled(folder: Path) -> int:
    with JournalsReader(journals_in(folder / "exchanges" / MODEL)) as journals:
        return sum(1 for _ in journals)
