"""The pipeline's image, built by `make images` and run by `make run-in-container`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from main_job import BASE, MAIN, ROOT, run_bare, run_inside
from pip_settings import pip_settings
from podman_engine import Podman
from snakemake_project import Project

from bfcl_pipeline.archive.compare import compared_files, first_difference

pytestmark = pytest.mark.containers


@pytest.fixture(scope="module")
def inside(podman: Podman, image: str, new_project: Callable[[], Project]) -> tuple[Project, str]:
    """A project after the main job, run in the image; and what was printed."""
    project = new_project()
    return project, run_inside(podman, image, project, MAIN)


def test_an_image_says_what_it_is(podman: Podman, image: str) -> None:
    """Its labels name version, commit, licence and base."""
    labels = podman.inspect(image)["Labels"]
    told = {key.rpartition(".")[2]: value for key, value in labels.items()}
    assert told["version"] == "test"
    # Of a tree with changes, as while somebody works on it, the commit they were made to.
    commit = told["revision"].removesuffix("-dirty")
    assert len(commit) == 40
    subprocess.run(["git", "cat-file", "-e", commit], cwd=ROOT, check=True)
    assert told["licenses"] == "Apache-2.0"
    assert told["name"] == BASE


def test_an_image_is_small(podman: Podman, image: str) -> None:
    """All its files together are under 1.5 GB."""
    size = podman.inspect(image)["Size"]
    print(f"{size / 1e9:.2f} GB, {podman.inspect(BASE)['Size'] / 1e9:.2f} of them the base")
    assert size < 1.5e9


def test_an_image_runs_as_nobody_special(podman: Podman, image: str) -> None:
    """Its user is not root, and cannot change the code."""
    told = podman(
        "run", "--rm", image, "sh", "-c", "id -u; test -w /opt/bfcl-pipeline/Snakefile || echo safe"
    )
    assert told.split() == ["1000", "safe"]


def test_an_image_keeps_nothing_of_this_machine(podman: Podman, image: str) -> None:
    """Mirrors and certificates that a build was given are in no setting and no step of its history."""
    known = json.dumps(podman.inspect(image)) + podman("history", "--no-trunc", image)
    assert [value for value in pip_settings().values() if value in known] == []


def test_an_image_is_a_checkout(podman: Podman, image: str) -> None:
    """The workflow lies beside the package, so that what looks for it there finds it."""
    where = podman(
        "run", "--rm", image, "python", "-c", "import bfcl_pipeline; print(bfcl_pipeline.__file__)"
    )
    beside = podman("run", "--rm", image, "ls", Path(where.strip()).parents[1])
    assert {"Snakefile", "workflow", "config", "requirements.lock"} <= set(beside.split())


def test_the_main_job_without_network_gives_the_same_bytes(
    inside: tuple[Project, str], bare: Project
) -> None:
    """Answers, memories, verdicts, tables and report are those of the bare run; the V4 table is printed."""
    project, told = inside
    assert "Oracle (Prompt)" in told
    assert len(compared_files(bare.folder / "results/same")) > 20
    assert first_difference(bare.folder / "results/same", project.folder / "results/same") is None


def test_what_was_run_inside_is_known_outside(inside: tuple[Project, str]) -> None:
    """Without the container the same run has nothing to do: both share what Snakemake knows of it."""
    project, _ = inside
    assert "Nothing to be done" in run_bare(project, "-n", **MAIN)


def test_without_an_image_the_user_is_told(podman: Podman, new_project: Callable[[], Project]) -> None:
    """The message names the command that builds it."""
    with pytest.raises(AssertionError, match="make images"):
        run_inside(podman, "localhost/bfcl-pipeline:absent", new_project(), MAIN)


@pytest.mark.usefixtures("full")
def test_the_whole_benchmark_gives_the_same_bytes(
    podman: Podman, image: str, new_project: Callable[[], Project]
) -> None:
    """As above, for all entries and the four models that a first run asks."""
    outside, within = new_project(), new_project()
    run_bare(outside)
    run_inside(podman, image, within, {"run": "embedded"})
    assert first_difference(outside.folder / "results/embedded", within.folder / "results/embedded") is None
