"""podman, a base image, the pipeline's image as a user builds it, and a run without container to compare
with.

All files are in one folder, BFCL_CONTAINERS_FOLDER or one under the system's temporary folder. The base and
the images stay there for the next test run: delete the folder to rebuild them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.containers.apptainer_engine import Apptainer, CannotInstallError
from tests.containers.base_image import make_base
from tests.containers.main_job import BASE, IMAGE, MAIN, ROOT, run_bare
from tests.containers.pip_settings import folders_to_mount, pip_settings
from tests.containers.podman_engine import Podman
from tests.support.snakemake_project import Project, make_project

REQUIRED = "BFCL_CONTAINERS_REQUIRED"
REUSE = "BFCL_CONTAINERS_REUSE"
FULL = "BFCL_CONTAINERS_FULL"
NEEDED = ("podman", "debootstrap", "runc", "make")


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder of these tests."""
    named = os.environ.get("BFCL_CONTAINERS_FOLDER")
    path = Path(named) if named else Path(tempfile.gettempdir()) / f"bfcl-containers-{os.getuid()}"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="session")
def podman(folder: Path) -> Podman:
    """podman in that folder. Skips where it is not installed; fails if BFCL_CONTAINERS_REQUIRED=1."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if os.getuid() != 0:
        missing.append("root, for debootstrap")
    if missing:
        advice = (
            f"Missing: {', '.join(missing)}. `sh tests/containers/install.sh` installs, as root on Debian."
        )
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{advice} {REQUIRED}=1 asks for it.")
        pytest.skip(advice)
    return Podman.make(folder)


@pytest.fixture(scope="session")
def base(podman: Podman, folder: Path) -> str:
    """The name of a base image without any part of the pipeline."""
    archive = folder / "base.tar"
    if not archive.exists():
        make_base(archive)
    podman("import", archive, BASE)
    return BASE


@pytest.fixture(scope="session")
def build(podman: Podman, base: str) -> Callable[..., str]:
    """`make images` from that base, with the package index of this machine's pip."""

    def images(*words: str) -> str:
        settings = pip_settings()
        flags = " ".join(["--network=host", "--layers=false", *folders_to_mount(settings)])
        return podman.call(
            "make",
            "images",
            f"BASE={base}",
            "VERSION=test",
            f"BUILD_FLAGS={flags}",
            *words,
            cwd=ROOT,
            **settings,
        )

    return images


@pytest.fixture(scope="session")
def image(podman: Podman, build: Callable[..., str]) -> str:
    """The name of the pipeline's image, rebuilt unless BFCL_CONTAINERS_REUSE=1."""
    if os.environ.get(REUSE) != "1" or IMAGE not in podman(
        "images", "--format", "{{.Repository}}:{{.Tag}}"
    ):
        build()
        podman("image", "prune", "--force")
    return IMAGE


@pytest.fixture(scope="session")
def new_project(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, staged_encoder: Path
) -> Callable[[], Project]:
    """Creates a user's project folder: the workflow, its config and staged data, without results."""

    def make() -> Project:
        project = make_project(tmp_path_factory.mktemp("project"))
        for name in ("release", "entries"):
            shutil.copytree(staged / name, project.folder / "data" / name)
        shutil.copytree(staged_encoder, project.folder / "data/encoder")
        for name in ("cache", "results", ".snakemake"):
            (project.folder / name).mkdir()
        return project

    return make


@pytest.fixture(scope="session")
def bare(new_project: Callable[[], Project]) -> Project:
    """A project after the main job, run without any container."""
    project = new_project()
    run_bare(project, **MAIN)
    return project


@pytest.fixture(scope="session")
def apptainer(folder: Path) -> Apptainer:
    """Apptainer: the installed one, else Debian's package in that folder. Skips if neither is available."""
    try:
        return Apptainer.find(folder / "apptainer")
    except CannotInstallError as error:
        pytest.skip(f"Apptainer cannot be installed here: {error}")


@pytest.fixture(scope="session")
def full() -> None:
    """For tests that take minutes: skips unless BFCL_CONTAINERS_FULL=1 is set."""
    if os.environ.get(FULL) != "1":
        pytest.skip(f"Takes minutes: {FULL}=1 asks for it.")
