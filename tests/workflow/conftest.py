"""Projects to run the workflow in; lets the tests of this folder import their helper by name."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from snakemake_project import Project, make_project  # only found now


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
