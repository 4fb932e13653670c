"""A run with a small model in the process that asks it: the record of its weights, and what follows."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from bfcl_pipeline.cli import main
from tests.support.snakemake_project import Project
from tests.support.tiny_model import save_tiny_model

MODEL = "tiny-FC"
RUN = {"models": f"[{MODEL}]", "categories": "[simple_python]", "sample": "2", "run": "local"}


def test_weights_are_recorded_checked_and_not_needed_by_a_replay(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is complete as long as the files are the same; with others it stops; its replay is equal."""
    weights = save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")
    row = {"name": MODEL, "kind": "transformers", "model": str(weights), "family": "qwen3-fc"}
    row |= {"options": {"max_tokens": 8}}
    (project.folder / "config/my_models.yaml").write_text(yaml.safe_dump({"models": [row]}))
    project.call(**RUN)
    (recorded,) = yaml.safe_load((project.folder / "results/local/models.yaml").read_text())["models"]
    assert recorded["weights"].startswith("sha256:")
    assert recorded["prompts"].startswith("sha256:")
    assert project.steps(**RUN) == []

    config = json.loads((weights / "config.json").read_text())
    (weights / "config.json").write_text(json.dumps({**config, "comment": "other weights"}))
    stopped = project.snakemake(**RUN)
    assert stopped.returncode == 1
    assert f"{MODEL}: weights {recorded['weights'][:40]}" in stopped.stdout

    shutil.rmtree(weights)
    monkeypatch.chdir(project.folder)
    assert main(["replay", "results/local", "--cores", "2"]) == 0
