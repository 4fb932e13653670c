"""A run of one model on several servers, stand-ins for vLLM, is derived again without a server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.offline import offline
from tests.support.serving_process import STAND_IN
from tests.support.snakemake_project import Project

CONFIG = {"run": "r", "models": "[m-FC]", "categories": "[simple_python,memory_kv]", "sample": "8"}
ROW = "{name: m-FC, kind: vllm, vllm: {tool_parser: hermes, shards: 2}, resources: {mem_mb: 64000}}"


def test_a_served_run_is_derived_without_servers(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journals of all shards are used, with any server addresses, and no server is started."""
    (project.folder / "config/models.yaml").write_text(f"models:\n  - {ROW}\n")
    with monkeypatch.context() as served:
        served.delenv("BFCL_VLLM_PYTHON", raising=False)
        paths = [STAND_IN, os.environ.get("PYTHONPATH", "")]
        served.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        served.setenv("STAND_IN", "chat")
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
    assert "Generate all categories with m-FC" in replayed.stderr
