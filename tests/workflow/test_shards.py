"""One model on several servers, with a stand-in for vLLM that answers like the scripted chat model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.tables import read_table
from tests.support.offline import offline
from tests.support.serving_process import STAND_IN
from tests.support.snakemake_project import Project, make_project

CONFIG = {
    "run": "r",
    "models": "[m-FC]",
    "categories": "[simple_python,multi_turn_base,memory_kv]",
    "sample": "12",
}
VERDICTS = "results/r/verdicts/m-FC.parquet"
DECIDED_BY_TIME = {"latency_seconds", "steps"}


@contextmanager
def stand_in() -> Iterator[None]:
    """Models are served by the stand-in."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("BFCL_VLLM_PYTHON", raising=False)
        environment.setenv("PYTHONPATH", STAND_IN, prepend=os.pathsep)
        environment.setenv("STAND_IN", "chat")
        yield


@pytest.fixture(scope="module")
def spread(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Project:
    """A project after a run of one model on three servers. Tests must not change it."""
    project = make_project(tmp_path_factory.mktemp("shards"))
    (project.folder / "data").symlink_to(staged)
    _spread(project, 3)
    with stand_in():
        done = project.snakemake("results/r/config.yaml", VERDICTS, **CONFIG)
    assert done.returncode == 0, done.stdout
    assert [f"Serve m-FC@{number}of3" in done.stdout for number in (1, 2, 3)] == [True] * 3
    return project


def _spread(project: Project, shards: int) -> None:
    row = f"{{name: m-FC, kind: vllm, vllm: {{tool_parser: hermes, shards: {shards}}},"
    row += " resources: {mem_mb: 64000}}"
    (project.folder / "config/models.yaml").write_text(f"models:\n  - {row}\n")


def _asked(project: Project) -> int:
    """How many requests all servers together got."""
    logs = (project.folder / "results/r/logs/serve").glob("*.vllm.log")
    return sum(line.startswith("asked ") for log in logs for line in log.read_text().splitlines())


def _said(project: Project) -> dict[str, list[object]]:
    """The rows of all tables of responses and sessions, without what time decides."""
    folder = project.folder / "results/r"
    paths = sorted([*folder.glob("responses/*/*.parquet"), *folder.glob("memory/*/*.parquet")])
    return {
        str(path.relative_to(folder)): [
            {name: value for name, value in row.items() if name not in DECIDED_BY_TIME}
            for row in read_table(path).to_pylist()
        ]
        for path in paths
    }


def test_shards_send_each_request_once_and_write_the_same_tables(spread: Project, tmp_path: Path) -> None:
    """Three servers share the entries; one server then has the same rows and receives no request again."""
    three, asked = _said(spread), _asked(spread)
    assert len(three) == 4
    assert sum(map(len, three.values())) > 12
    journals = (spread.folder / "cache/exchanges/m-FC").glob("exchanges*.jsonl")
    assert sum(len(journal.read_text().splitlines()) for journal in journals) == asked

    shutil.copytree(spread.folder, tmp_path / "one", symlinks=True)
    project = Project(tmp_path / "one")
    _spread(project, 1)
    for table in project.folder.glob("results/r/responses/*/*.parquet"):
        table.unlink()
    with stand_in():
        done = project.snakemake(VERDICTS, **CONFIG)
    assert done.returncode == 0, done.stdout
    assert "Serve m-FC\n" in done.stdout
    assert _said(project) == three
    assert _asked(project) == asked


def test_served_answers_are_derived_without_servers(spread: Project) -> None:
    """The journals of all shards are used, with any server addresses, and no server is started."""
    journals = spread.folder / "cache/exchanges/m-FC"
    names = {"exchanges.jsonl", "exchanges.2.jsonl", "exchanges.3.jsonl"}
    assert {path.name for path in journals.glob("*.jsonl")} == names
    env = offline(spread.folder / "offline", blocked=["vllm", "openai", "aiohttp"])
    env["PYTHONWARNINGS"] = "default"  # Snakemake's own
    step = ["--snakemake", "--until", "generate_m-FC"]  # all that follows is derived from its answers
    replayed = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", "replay", "r", *step],
        cwd=spread.folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    # Responses and sessions come first: they are identical.
    assert "different: verdicts/m-FC.parquet: only the run has it" in replayed.stdout, replayed.stderr
    assert "Serve" not in replayed.stderr
    assert "Generate all categories with m-FC" in replayed.stderr
