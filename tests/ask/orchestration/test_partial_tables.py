"""Which models of a run are complete after a step failed."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from bfcl_pipeline.ask.jobs.main_process import scored_models, tabulate_scored
from bfcl_pipeline.benchmark.config import load_models, load_run
from bfcl_pipeline.runs.run import Run

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
RUN = load_run(
    {**CONFIG, "categories": ["simple_java", "multiple"]}, load_models(ROOT / "config/models.yaml")
)


def touch(path: Path, seconds: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (seconds, seconds))


def test_a_complete_model_has_all_responses_and_newer_verdicts(tmp_path: Path) -> None:
    """Verdicts on earlier responses are not those of the run."""
    for model, scored_at in (("oracle", 20), ("oracle-FC", 5), ("lexical", 20)):
        for category in ("simple_java", "multiple"):
            touch(tmp_path / f"responses/{model}/{category}.parquet", 10)
        touch(tmp_path / f"verdicts/{model}.parquet", scored_at)
    (tmp_path / "responses/lexical/multiple.parquet").unlink()
    assert scored_models(Run(tmp_path), RUN) == ["oracle"]


def test_nothing_is_tabulated_without_a_complete_model(tmp_path: Path) -> None:
    """There is nothing to show."""
    assert tabulate_scored(Run(tmp_path), RUN) == ""
    assert not (tmp_path / "tables").exists()
