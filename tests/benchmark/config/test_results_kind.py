"""Rows of kind `results`: keys, jobs, and what a run records of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.jobs.preflight import Machine, preflight
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, load_models, load_run, recorded_models

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
THEIRS = {"name": "theirs-FC", "kind": "results", "path": "/far/away/result"}


def read(folder: Path, *rows: dict[str, Any]) -> dict[str, ModelRow]:
    """The rows, as read from a models file."""
    path = folder / "models.yaml"
    path.write_text(yaml.safe_dump({"models": rows}))
    return load_models([path])


def test_the_model_in_the_results_has_the_name_of_the_row(tmp_path: Path) -> None:
    """With its suffix, unlike the name of a model at an API."""
    assert read(tmp_path, THEIRS)["theirs-FC"].model == "theirs-FC"


def test_a_row_is_recorded_without_its_place(tmp_path: Path) -> None:
    """The recorded row reads back, with the name of the file or directory alone."""
    rows = read(tmp_path, {**THEIRS, "web": "live", "input_price": 1.5})
    text = recorded_models(rows.values())
    assert "/far" not in text
    (again,) = read(tmp_path, *yaml.safe_load(text)["models"]).values()
    assert (again.path, again.web, again.input_price) == ("result", "live", 1.5)
    assert again.asked == rows["theirs-FC"].asked


def test_results_have_one_job_whatever_the_web_the_trials_and_the_budget(tmp_path: Path) -> None:
    """None of them says anything about answers that exist already."""
    rows = read(tmp_path, THEIRS)
    usual = load_run({**CONFIG, "models": ["theirs-FC"]}, rows)
    changed = load_run(
        {**CONFIG, "models": ["theirs-FC"], "trials": 3, "budget": 5.0, "web": "live", "seed": 9}, rows
    )
    assert usual.jobs == changed.jobs
    assert len(usual.jobs) == 1


def test_missing_results_are_known_before_a_run(tmp_path: Path) -> None:
    """One line names the path; the other models run, and a run of nothing else does not start."""
    rows = read(tmp_path, THEIRS, {"name": "lexical", "kind": "lexical"})
    both = load_run({**CONFIG, "models": ["theirs-FC", "lexical"], "categories": ["simple_java"]}, rows)
    lines = preflight(both, (), Machine())
    assert lines[0].startswith("theirs-FC: results is missing: /far/away/result does not exist here")
    assert lines[1].endswith("the exit status is 1.")
    run = load_run({**CONFIG, "models": ["theirs-FC"], "web": "live"}, rows)
    with pytest.raises(ConfigError, match="theirs-FC: results is missing: /far/away/result does not exist"):
        preflight(run, (), Machine())
