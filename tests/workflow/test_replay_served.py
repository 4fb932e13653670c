"""A run whose model was served by several servers, with a stand-in for vLLM, derived again without any."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from offline import offline
from serving_process import STAND_IN
from snakemake_project import Project

CONFIG = {"run": "r", "models": "[m-FC]", "categories": "[simple_python,memory_kv]", "sample": "8"}
ROW = "{name: m-FC, kind: vllm, vllm: {tool_parser: hermes, shards: 2}, resources: {mem_mb: 64000}}"


def test_a_served_run_is_derived_without_servers(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journals of all shards answer, wherever the servers listened, and nothing is served."""
    (project.folder / "config/models.yaml").write_text(f"models:\n  - {ROW}\n")
    with monkeypatch.context() as served:
        served.delenv("BFCL_VLLM_PYTHON", raising=False)
        paths = [str(STAND_IN), os.environ.get("PYTHONPATH", "")]
        served.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        served.setenv("STAND_IN", "chat")
        served.setenv("CHAT_ANSWERS", str(Path(__file__).parents[1] / "servers"))
        done = project.snakemake(**CONFIG)
    assert done.returncode == 0, done.stdout
    journals = project.folder / "cache/exchanges/m-FC"
    assert {path.name for path in journals.glob("*.jsonl")} == {"exchanges.jsonl", "exchanges.2.jsonl"}

    env = offline(project.folder / "offline", blocked=["vllm", "openai", "aiohttp"])
    env["PYTHONWARNINGS"] = "default"  # Snakemake's own
    replayed = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", "replay", "r"],
        cwd=project.folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert replayed.stdout.startswith("identical: ")
    assert "Serve" not in replayed.stderr
    assert "Ask m-FC everything" in replayed.stderr
