"""One model on several servers, with a stand-in for vLLM that answers like the scripted chat model."""

from __future__ import annotations

import pytest

from bfcl_pipeline.tables import read_table
from tests.support.serving_process import STAND_IN
from tests.support.snakemake_project import Project

CONFIG = {
    "run": "r",
    "models": "[m-FC]",
    "categories": "[simple_python,multi_turn_base,memory_kv]",
    "sample": "12",
}
DECIDED_BY_TIME = {"latency_seconds", "steps"}


@pytest.fixture
def served(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with one model that is served by the stand-in."""
    monkeypatch.delenv("BFCL_VLLM_PYTHON", raising=False)
    monkeypatch.setenv("PYTHONPATH", STAND_IN)
    monkeypatch.setenv("STAND_IN", "chat")
    return project


def _spread(project: Project, shards: int) -> None:
    row = f"{{name: m-FC, kind: vllm, vllm: {{tool_parser: hermes, shards: {shards}}}}}"
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


def test_shards_send_each_request_once_and_write_the_same_tables(served: Project) -> None:
    """Three servers share the entries; one server then has the same rows and receives no request again."""
    _spread(served, 3)
    done = served.snakemake(**CONFIG)
    assert done.returncode == 0, done.stdout
    assert [f"Serve m-FC@{number}of3" in done.stdout for number in (1, 2, 3)] == [True] * 3
    three, asked = _said(served), _asked(served)
    assert len(three) == 4
    assert sum(map(len, three.values())) > 12
    journals = (served.folder / "cache/exchanges/m-FC").glob("exchanges*.jsonl")
    assert sum(len(journal.read_text().splitlines()) for journal in journals) == asked

    _spread(served, 1)
    for table in served.folder.glob("results/r/responses/*/*.parquet"):
        table.unlink()
    done = served.snakemake(**CONFIG)
    assert done.returncode == 0, done.stdout
    assert "Serve m-FC\n" in done.stdout
    assert _said(served) == three
    assert _asked(served) == asked
