"""The pipeline's image, built by `make images` and run by `make run-in-container`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.share.archive.compare import compared_files, file_differences
from tests.containers.main_job import BASE, MAIN, ROOT, run_bare, run_inside
from tests.containers.pip_settings import pip_settings
from tests.containers.podman_engine import ALONE, Podman
from tests.support.snakemake_project import Project


@pytest.fixture(scope="module")
def inside(podman: Podman, image: str, new_project: Callable[[], Project]) -> tuple[Project, str]:
    """A project after the main job was run in the image, and the output."""
    project = new_project()
    return project, run_inside(podman, image, project, MAIN)


def test_labels_identify_an_image(podman: Podman, image: str) -> None:
    """Its labels name version, commit, licence and base."""
    labels = podman.inspect(image)["Labels"]
    named = {key.rpartition(".")[2]: value for key, value in labels.items()}
    assert named["version"] == "test"
    # For a working tree with uncommitted changes, the commit that they are based on.
    commit = named["revision"].removesuffix("-dirty")
    assert len(commit) == 40
    subprocess.run(["git", "cat-file", "-e", commit], cwd=ROOT, check=True)
    assert named["licenses"] == "Apache-2.0"
    assert named["name"] == BASE
    # Archives and the records of what made answers have the commit from here.
    assert podman(*ALONE, image, "cat", "COMMIT").strip() == named["revision"]


def test_an_image_is_small(podman: Podman, image: str) -> None:
    """All its files together are under 1.6 GB."""
    size = podman.inspect(image)["Size"]
    print(f"{size / 1e9:.2f} GB, {podman.inspect(BASE)['Size'] / 1e9:.2f} of them the base")
    assert size < 1.6e9


def test_an_image_runs_as_an_ordinary_user(podman: Podman, image: str) -> None:
    """Its user is not root, and cannot change the code."""
    output = podman(*ALONE, image, "sh", "-c", "id -u; test -w /opt/bfcl-pipeline/Snakefile || echo safe")
    assert output.split() == ["1000", "safe"]


def test_an_image_has_no_settings_of_the_build_machine(podman: Podman, image: str) -> None:
    """Mirrors and certificates that a build was given are in no setting and no step of its history."""
    known = json.dumps(podman.inspect(image)) + podman("history", "--no-trunc", image)
    assert [value for value in pip_settings().values() if value in known] == []


def test_an_image_is_a_checkout(podman: Podman, image: str) -> None:
    """The workflow is beside the package, where `replay` expects it."""
    where = podman(*ALONE, image, "python", "-c", "import bfcl_pipeline; print(bfcl_pipeline.__file__)")
    beside = podman(*ALONE, image, "ls", Path(where.strip()).parents[1])
    assert {"Snakefile", "workflow", "config", "requirements.lock"} <= set(beside.split())


def test_the_main_job_without_network_gives_the_same_bytes(
    inside: tuple[Project, str], bare: Project
) -> None:
    """Answers, memories, verdicts, tables and report are those of the bare run; the V4 table is printed."""
    project, output = inside
    assert "Oracle (Prompt)" in output
    assert len(compared_files(bare.folder / "results/same")) > 20
    assert not list(file_differences(bare.folder / "results/same", project.folder / "results/same"))


def test_a_run_in_the_container_is_complete_outside(inside: tuple[Project, str]) -> None:
    """Without the container, the same run has nothing to do, because both share Snakemake's records."""
    project, _ = inside
    assert "Nothing to be done" in run_bare(project, "-n", **MAIN)


def test_without_an_image_the_command_names_the_remedy(
    podman: Podman, new_project: Callable[[], Project]
) -> None:
    """The message names the command that builds it."""
    with pytest.raises(AssertionError, match="make images"):
        run_inside(podman, "localhost/bfcl-pipeline:absent", new_project(), MAIN)


@pytest.mark.usefixtures("full")
def test_the_whole_benchmark_gives_the_same_bytes(
    podman: Podman, image: str, new_project: Callable[[], Project]
) -> None:
    """The same bytes for all entries and the four models of a first run."""
    outside, within = new_project(), new_project()
    run_bare(outside)
    run_inside(podman, image, within, {"run": "embedded"})
    assert not list(
        file_differences(outside.folder / "results/embedded", within.folder / "results/embedded")
    )
