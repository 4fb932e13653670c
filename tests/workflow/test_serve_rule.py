"""Local models in the workflow, with a stand-in for vLLM that fails or never becomes ready.

tests/vllm has the tests with the real vLLM.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.support.serving_process import STAND_IN, has_ended, wait_for
from tests.support.snakemake_project import Project

LOCAL = {"run": "local", "models": "[small,other]", "categories": "[simple_python]", "sample": "2"}
ROWS = """
models:
  - {name: small, kind: vllm, model: org/small, limits: {attempts: 1}}
  - {name: other, kind: vllm, model: org/other, limits: {attempts: 1}}
  - {name: elsewhere, kind: vllm, backend: endpoint, endpoint: "http://127.0.0.1:9/v1"}
"""


@pytest.fixture
def local(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with local models that are served by the stand-in."""
    monkeypatch.delenv("BFCL_VLLM_PYTHON", raising=False)
    monkeypatch.setenv("PYTHONPATH", STAND_IN, prepend=os.pathsep)
    (project.folder / "config/models.yaml").write_text(ROWS)
    return project


def servers(project: Project) -> list[int]:
    """The processes of all servers that were started."""
    logs = (project.folder / "results/local/logs/serve").glob("*.vllm.log")
    lines = [line.split() for log in logs for line in log.read_text().splitlines()]
    return [int(pid) for line in lines if line[:1] == ["processes"] for pid in line[1:]]


def test_a_model_elsewhere_needs_no_server(local: Project) -> None:
    """`backend: endpoint` plans no service; a served model does, for all its categories."""
    config = {**LOCAL, "models": "[small,elsewhere]", "categories": "[simple_python,multiple]"}
    assert [step for step in local.steps(**config) if "elsewhere" in step or "small" in step] == [
        "Generate all categories with elsewhere",
        "Generate all categories with small",
        "Score elsewhere",
        "Score small",
        "Serve small",
    ]


def test_a_server_that_fails_leaves_its_model_without_answers(
    local: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No job waits for it: the reason is shown at the end, with the tables; one core is enough."""
    monkeypatch.setenv("STAND_IN", "fail")
    done = local.snakemake("--cores", "1", **{**LOCAL, "models": "[small]"})
    assert done.returncode == 2
    assert "small: no answers: the server of small failed: vLLM ended after" in done.stdout
    assert "ValueError: no model of that name" in done.stdout
    assert len(servers(local)) == 2
    assert all(map(has_ended, servers(local)))
    assert not (local.folder / "results/local/servers").exists()
    assert (local.folder / "results/local/report.html").is_file()


def test_models_are_served_one_after_the_other(local: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many cores there are: two servers would want the same GPUs."""
    monkeypatch.setenv("STAND_IN", "fail")
    verdicts = [f"results/local/verdicts/{name}.parquet" for name in ("small", "other")]
    output = local.snakemake("--cores", "4", *verdicts, **LOCAL).stdout
    first, second = sorted(output.index(f"Serve {name}") for name in ("small", "other"))
    scored = min(output.index(f"Score {name}") for name in ("small", "other"))
    assert first < scored < second


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_server_outlives_its_run(local: Project, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A server that loads ends, with all it started, when Snakemake is interrupted or killed.

    tests/ask/models/serving has the command that serves under SIGTERM; test_screen.py has Snakemake.
    """
    monkeypatch.setenv("STAND_IN", "load")
    with local.start(**{**LOCAL, "models": "[small]"}) as process:
        log = local.folder / "results/local/logs/serve/small.vllm.log"
        wait_for(log, "processes", process.pid)
        if number == signal.SIGKILL:
            process.kill()  # only Snakemake is signalled, not its steps
        else:
            os.killpg(process.pid, number)
        process.communicate(timeout=900)
    assert len(servers(local)) == 2
    assert all(map(has_ended, servers(local)))
