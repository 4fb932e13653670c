"""Projects in which the workflow runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.share.archive.conftest import small_run
from tests.support.made_once import make_once
from tests.support.snakemake_project import TINY, Project, make_project

__all__ = ["small_run"]


@pytest.fixture
def bare(tmp_path: Path) -> Project:
    """A project before anything was staged."""
    return make_project(tmp_path)


@pytest.fixture
def project(bare: Project, staged: Path) -> Project:
    """A project with the benchmark staged, before any run."""
    shutil.copytree(staged / "release", bare.folder / "data/release")
    shutil.copytree(staged / "entries", bare.folder / "data/entries")
    return bare


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory, staged: Path, worker_id: str) -> Project:
    """A project after the tiny run, of all test processes. Tests may plan on it, not change it."""

    def make(folder: Path) -> None:
        folder.mkdir()
        project = make_project(folder)
        (folder / "data").symlink_to(staged)
        done = project.snakemake(**TINY)
        assert done.returncode == 0, done.stdout

    return Project(make_once("tiny", make, tmp_path_factory, worker_id))
