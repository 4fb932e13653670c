"""What the repository says of itself: sizes, supported Pythons, workflows made of commands of CI."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.structure import over_budget
from tests.support import ROOT

WORKFLOWS = {path.stem: path for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
NEEDS_A_REGISTRY = {"push-images"}
"""Targets that CI cannot run."""


def document(name: str) -> dict[str, Any]:
    """A workflow of GitHub."""
    loaded: dict[str, Any] = yaml.safe_load(WORKFLOWS[name].read_text(encoding="utf-8"))
    return loaded


def targets(name: str) -> set[str]:
    """The make targets that a workflow runs. Each of its commands must be one."""
    found = set()
    for job in document(name)["jobs"].values():
        for command in (step["run"] for step in job["steps"] if "run" in step):
            target = re.fullmatch(r'(?:sudo )?make ("\$TARGET"|[a-z-]+)(?: [A-Z]+="[^"]+")*', command)
            assert target is not None, command
            chosen = job.get("strategy", {}).get("matrix", {}).get("target", [])
            found |= set(chosen) if "$" in target[1] else {target[1]}
    return found


def test_workflows_run_what_ci_runs() -> None:
    """Each command is a make target that `.ci/run` runs as well; together they run all of its targets."""
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    in_ci = set(re.findall(r"(?m)^(?:step make|proof) ([a-z-]+)", script))
    make = "".join(
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "containers/images.mk")
    )
    in_workflows = {target for name in WORKFLOWS for target in targets(name)}
    assert in_workflows <= set(re.findall(r"(?m)^([a-z-]+):(?!=)", make))
    # `make test-containers` builds the image.
    assert in_workflows - NEEDS_A_REGISTRY - {"images"} <= in_ci
    assert in_ci - in_workflows == {"report"}


def test_each_change_is_tested_with_each_python() -> None:
    """Those of the classifiers; the project requires the oldest, and README names both ends."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = [line.rpartition(" ")[2] for line in project["classifiers"]]
    assert document("check")["jobs"]["check"]["strategy"]["matrix"]["python"] == supported
    assert targets("check") == {"lint", "test"}
    assert project["requires-python"] == f">={supported[0]}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {supported[0]} to {supported[-1]}" in readme


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_workflow_has_more_rights_than_it_uses(name: str) -> None:
    """None by default; only a release may write, and its job for PyPI runs nothing of the repository."""
    workflow = document(name)
    assert workflow["permissions"] == {}
    rights = {job: set(one["permissions"].items()) for job, one in workflow["jobs"].items()}
    if name != "release":
        assert set().union(*rights.values()) == {("contents", "read")}
    else:
        assert rights["publish"] == {("id-token", "write"), ("attestations", "write")}
        assert not [step for step in workflow["jobs"]["publish"]["steps"] if "run" in step]


def test_the_size_of_the_environment_is_stated_once() -> None:
    """README and make state the same; `make test-install` compares it with an installed environment."""
    readme, make = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    stated = re.findall(r"`\.venv` \(\[([\d.]+) GB\]|The environment takes ([\d.]+) GB", readme)
    stated += re.findall(r"into \.venv \(about ([\d.]+)() GB\)", make)
    assert len(stated) == 3
    assert len({"".join(one) for one in stated}) == 1


def test_the_snakefile_is_one_page() -> None:
    """What it checks and decides is a function of the package: it has few names of it."""
    text = (ROOT / "Snakefile").read_text(encoding="utf-8")
    assert text.count("\n") <= 60
    imported = re.findall(r"(?m)^from bfcl_pipeline\S* import (\w+(?:, \w+)*)$", text)
    assert len(re.findall("import .*bfcl_pipeline|bfcl_pipeline.* import", text)) == len(imported)
    assert sum(names.count(",") + 1 for names in imported) <= 5


@pytest.mark.parametrize("recipe", ["Containerfile", "bfcl-vllm.def"])
def test_the_image_of_vllm_installs_no_pytorch_of_its_own(recipe: str) -> None:
    """PyTorch and what depends on it are left out of the environment beside vLLM's."""
    text = (ROOT / "containers/vllm" / recipe).read_text(encoding="utf-8")
    left_out = re.search(r'sh environment.sh /opt/venv "[^"]*" "([^"]+)"', text)
    assert left_out is not None
    assert {"sentence-transformers", "torch", "transformers"} <= set(left_out[1].split())


def test_a_floor_above_its_budget_of_lines_is_named(tmp_path: Path) -> None:
    """The floor, what it has too much, and what to do; one within its budget is not."""
    for floor, lines in (("base", 3), ("cli", 2)):
        (tmp_path / "bfcl_pipeline" / floor).mkdir(parents=True)
        (tmp_path / "bfcl_pipeline" / floor / "one.py").write_text("x = 1\n" * lines)
    (tmp_path / "bfcl_pipeline/__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.lines]\nbase = 2\ncli = 2\n")
    (told,) = over_budget(tmp_path)
    assert told.startswith("base: 3 lines, 1 more than")
