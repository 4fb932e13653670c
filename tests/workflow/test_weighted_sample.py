"""A sample by weight, given on Snakemake's command line."""

from __future__ import annotations

import yaml

from bfcl_pipeline.benchmark.config import RunSample, SampleBy
from bfcl_pipeline.runs.run import Run
from tests.support.snakemake_project import Project

TINY = {
    "run": "tiny",
    "models": "[oracle-FC,oracle]",
    "categories": "[simple_java,irrelevance,format_sensitivity]",
}


def test_a_sample_by_weight_runs_and_is_recorded(project: Project) -> None:
    """Both modes answer the same 12 entries; another division of the run is refused."""
    asked = {**TINY, "sample": "{entries: 12, by: weight}"}
    project.call(**asked)
    assert project.steps(**asked) == []
    results = project.folder / "results/tiny"
    config = (results / "config.yaml").read_text()
    assert yaml.safe_load(config)["sample"] == {"entries": 12, "by": "weight"}
    settings = Run(results).config
    assert settings is not None
    assert settings.sample == RunSample(12, SampleBy.WEIGHT)
    for model in ("oracle-FC", "oracle"):
        found = sorted(path.stem for path in (results / "responses" / model).iterdir())
        assert found == ["irrelevance", "simple_java"]
    assert "12 entries by weight, seed 0" in (results / "report.html").read_text()
    other = project.snakemake("-n", **TINY, sample="12")
    assert "sample: 12 by weight -> 12" in other.stdout
