"""The run of the workflow, as a process of single jobs reads it; tests/workflow has the main process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bfcl_pipeline.ask.jobs.checked_run import CheckedRun, check_run
from bfcl_pipeline.ask.jobs.main_process import MainProcess
from bfcl_pipeline.ask.orchestration.outdated_results import OutdatedResults
from bfcl_pipeline.ask.orchestration.slurm_cluster import SlurmLimits
from bfcl_pipeline.benchmark.config import MODELS_VARIABLE
from tests.support import ROOT

WORKFLOW = SimpleNamespace(
    basedir=str(ROOT),
    is_main_process=False,
    executor_plugin=None,
    resource_settings=SimpleNamespace(nodes=None, default_resources=None),
    deployment_settings=SimpleNamespace(deployment_method=set()),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(MODELS_VARIABLE, "")
    return tmp_path


def checked(**config: Any) -> CheckedRun:
    return check_run({"models": ["oracle-FC", "oracle"], "sample": 20, **config}, WORKFLOW, ["snakemake"])


def test_a_run_has_a_step_for_each_job_and_its_record() -> None:
    """The process of single jobs claims no folder: it writes nothing."""
    found = checked(compare=[["oracle", "oracle-FC"]])
    assert [step.name for step in found.steps] == ["oracle-FC", "oracle"]
    assert (found.main, found.gathered) == (None, {})
    assert found.compared == {"oracle": "oracle", "oracle-FC": "oracle-FC"}
    assert {name: "oracle-FC" in text for name, text in found.record.items()} == {
        "config.yaml": True,
        "models.yaml": True,
    }
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ({"modles": []}, "config: unknown key 'modles'. Did you mean 'models'?"),
        ({"models": ["orcale"]}, "config: models: unknown model 'orcale'. Did you mean 'oracle'?"),
    ],
)
def test_a_wrong_config_ends_the_process_with_one_line(config: dict[str, Any], line: str) -> None:
    """It begins with `config:` and is the exit status, which Python prints."""
    with pytest.raises(SystemExit) as exited:
        checked(**config)
    assert str(exited.value.code).startswith(line)


def test_a_finished_model_needs_no_staged_file_that_is_missing(folder: Path) -> None:
    """Without any staged file it has no staged inputs; once they are there, it has them again."""
    limits = SlurmLimits(lambda: None, lambda: None)
    found, paths = checked(categories=["simple_java"]), ["data/release/texts.json"]
    main = MainProcess(found.run, limits, OutdatedResults(finished=frozenset({"oracle"})), None)
    finished = replace(found, main=main)
    assert (found.unstaged, found.staged(paths, "oracle")) == (True, paths)
    assert (finished.staged(paths, "oracle"), finished.staged(paths, "oracle-FC")) == ([], paths)
    for path in ("data/release/texts.json", "data/entries/simple_java.parquet"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    staged = replace(finished, unstaged=checked(categories=["simple_java"]).unstaged)
    assert staged.staged(paths, "oracle") == paths
