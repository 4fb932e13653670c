"""The config and the models that a run records beside its results."""

from __future__ import annotations

import yaml

from bfcl_pipeline.benchmark.config import load_models
from tests.support.snakemake_project import Project

ROW = {
    "name": "chat-FC",
    "kind": "openai_chat",
    "endpoint": "http://127.0.0.1:1/v1",
    "description": "Braces {in} a {model}",
    "options": {"stop": ["{", "{run}"], "template": "{% if x %}{{ y }}{name}", "extra": {}},
}


def test_braces_in_a_model_row_are_recorded_unchanged(bare: Project) -> None:
    """Snakemake, which uses braces for wildcards, does not interpret those of options and descriptions."""
    (bare.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [ROW]}))
    asked = load_models(bare.folder / "config/models.yaml")
    done = bare.snakemake("results/braces/models.yaml", run="braces", models="[chat-FC]")
    assert done.returncode == 0, done.stdout
    assert load_models(bare.folder / "results/braces/models.yaml")["chat-FC"] == asked["chat-FC"]


def test_braces_in_a_path_of_the_release_are_no_wildcards(bare: Project) -> None:
    """A release and an encoder in a directory whose name has braces are planned as any other."""
    sources = {"release": "{source: '/x/{y}/z.whl'}", "encoder": "{source: '/x/{model}'}"}
    steps = bare.steps(models="[lexical-FC]", categories="[memory_vector]", **sources)
    assert any("Stage the release" in step for step in steps)
