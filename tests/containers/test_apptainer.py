"""Every rule in its image: Snakemake with --software-deployment-method apptainer."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.share.archive.compare import file_differences
from tests.containers.apptainer_engine import Apptainer
from tests.containers.main_job import run_bare
from tests.containers.podman_engine import Podman
from tests.support.snakemake_project import OWN_MESSAGES, Project

SMALL = {
    "run": "small",
    "models": "[oracle]",
    "categories": "[simple_python,memory_vector]",
    "sample": "10",
}


@pytest.fixture(scope="module")
def unpacked(podman: Podman, image: str, apptainer: Apptainer, folder: Path) -> Path:
    """The pipeline's image as an Apptainer sandbox folder, which is faster to build than an image file."""
    archive, sandbox = folder / "pipeline.tar", folder / "pipeline.sandbox"
    archive.unlink(missing_ok=True)  # of an earlier session, which podman would not replace
    podman("save", "--quiet", "--format", "docker-archive", "--output", archive, image)
    apptainer("build", "--force", "--sandbox", sandbox, f"docker-archive:{archive}")
    archive.unlink()
    return sandbox


def test_every_rule_in_its_image_gives_the_same_bytes(
    unpacked: Path,
    apptainer: Apptainer,
    new_project: Callable[[], Project],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Snakemake itself runs bare and calls Apptainer for each step; the results are those of a bare run."""
    bare, inside = new_project(), new_project()
    run_bare(bare, **SMALL)
    for name, value in apptainer.variables.items():
        monkeypatch.setenv(name, value)
    arguments = (*OWN_MESSAGES, "--software-deployment-method", "apptainer")
    output = run_bare(inside, *arguments, **SMALL, containers=f"{{pipeline: {unpacked}}}")
    assert "Activating singularity image" in output
    assert not list(file_differences(bare.folder / "results/small", inside.folder / "results/small"))
    shutil.rmtree(unpacked)
