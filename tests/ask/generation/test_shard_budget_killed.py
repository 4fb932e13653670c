"""The budget of a model whose shards are processes, one of which is killed and started again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.runs.journal import JournalsReader, journals_in
from tests.support import ROOT
from tests.support.local_chat import local_chat

IN_FLIGHT = 2


def test_processes_share_the_budget(tmp_path: Path, staged: Path) -> None:
    """Three `generate` commands at once, one of them started again: as the workflow starts them."""
    prices = {"input_price": 50, "output_price": 50}
    limits = {"in_flight": IN_FLIGHT, "attempts": 1}
    cache = tmp_path / "exchanges"

    def start(number: int) -> subprocess.Popen[str]:
        words = ["--model", "near-FC", "--models", tmp_path / "models.yaml", "--run", "r", "--data", staged]
        words += ["--category", "simple_python", "--sample", "90", "--budget", "0.25", "--cache", cache]
        words += ["--shard", f"{number}/3", "--wait-for-lease", "--out", tmp_path / str(number)]
        command = [sys.executable, "-m", "bfcl_pipeline.cli", "generate", *map(str, words)]
        return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)

    with local_chat(latency=0.02) as server:
        row = {"name": "near-FC", "kind": "openai_chat", "endpoint": server.endpoint, "limits": limits}
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [{**row, **prices}]}))
        jobs = [start(number) for number in (1, 2, 3)]
        server.wait_for(4)
        jobs[0].kill()
        jobs[0].communicate()
        jobs[0] = start(1)
        for job in jobs:
            _, errors = job.communicate()
            assert job.returncode == 0, errors
    with JournalsReader(journals_in(cache / "near-FC")) as journals:
        most = max(one.dollars or 0.0 for one in journals)
        spent = journals.spent("r")
    assert 0.25 - 3 * IN_FLIGHT * most <= spent <= 0.25 + 3 * IN_FLIGHT * most
    statuses = {
        one.status for path in tmp_path.glob("*/simple_python.parquet") for one in read_responses(path)
    }
    assert statuses == {Status.ANSWERED, Status.SKIPPED}
