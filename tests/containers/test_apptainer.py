"""Every rule in its image: Snakemake with --software-deployment-method apptainer."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from apptainer_engine import Apptainer
from main_job import run_bare
from podman_engine import Podman
from snakemake_project import Project

from bfcl_pipeline.archive.compare import first_difference

pytestmark = pytest.mark.containers

SMALL = {
    "run": "small",
    "models": "[oracle]",
    "categories": "[simple_python,memory_vector]",
    "sample": "10",
}


@pytest.fixture(scope="module")
def unpacked(podman: Podman, image: str, apptainer: Apptainer, folder: Path) -> Path:
    """The pipeline's image as Apptainer has it: a folder, which is made faster than a file."""
    archive, sandbox = folder / "pipeline.tar", folder / "pipeline.sandbox"
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
    told = run_bare(
        inside, "--software-deployment-method", "apptainer", **SMALL, containers=f"{{pipeline: {unpacked}}}"
    )
    assert "Activating singularity image" in told
    assert first_difference(bare.folder / "results/small", inside.folder / "results/small") is None
    shutil.rmtree(unpacked)
