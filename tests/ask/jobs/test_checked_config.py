"""The config of the workflow, completed, and the run that it describes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.jobs.checked_run import complete_config, configured_run
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import MODELS_VARIABLE
from tests.support import ROOT


def completed(**values: Any) -> dict[str, Any]:
    complete_config(values)
    return values


def test_a_config_is_completed_in_place() -> None:
    """Without a key, it is the shipped config; words of a command line become the types of the schema."""
    assert completed() == yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    found = completed(models="oracle,lexical", sample="null", replay="true")
    assert (found["models"], found["sample"], found["replay"]) == (["oracle", "lexical"], None, True)


def test_published_scores_are_identified(tmp_path: Path) -> None:
    """Their dates are texts, and files have a digest; a replay, which has no such file, asks for none."""
    path = tmp_path / "scores.csv"
    path.write_text("Model,Memory KV\nA,53.55%\n")
    text = f"- {{path: {path}, date: 2025-08-26, source: 'https://gorilla.cs.berkeley.edu'}}"
    (found,) = completed(published=yaml.safe_load(text))["published"]
    assert (found["date"], len(found["sha256"])) == ("2025-08-26", 64)
    path.unlink()
    (found,) = completed(published=yaml.safe_load(text), replay=True)["published"]
    assert "sha256" not in found
    with pytest.raises(ConfigError, match=r"scores\.csv"):
        completed(published=yaml.safe_load(text))


def test_the_run_has_the_rows_of_its_models_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The steps read the same files: they are in the environment."""
    monkeypatch.setenv(MODELS_VARIABLE, "none.yaml")
    mine = tmp_path / "mine.yaml"
    mine.write_text("models: [{name: mine, kind: oracle, mode: fc, display_name: Mine}]")
    run = configured_run(completed(models=["mine"], models_file=str(mine), categories=["simple_java"]))
    assert run.models == ("mine",)
    assert os.environ[MODELS_VARIABLE] == str(mine)
    with pytest.raises(ConfigError, match="unknown model 'oracle'"):
        configured_run(completed(models=["oracle"], models_file=str(mine)))
