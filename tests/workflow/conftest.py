"""Projects in which the workflow runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.snakemake_project import Project, make_project


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
