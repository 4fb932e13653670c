"""The Python API does what docs/python.md shows."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

import bfcl_pipeline
from bfcl_pipeline.cli import main
from tests.support import ROOT
from tests.support.snakemake_project import Project


def test_the_examples_of_the_page_are_correct(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of docs/python.md prints the output on the page, in a folder with a run and its
    archive."""
    project.call(run="quick", models="[oracle-FC]", categories="[simple_python]", sample="2")
    monkeypatch.chdir(project.folder)
    assert main(["archive", "results/quick"]) == 0
    results = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def test_importing_the_package_loads_no_modules() -> None:
    """Importing the package loads neither its modules nor libraries; each name of the API can be loaded."""
    program = (
        "import sys; before = set(sys.modules); import bfcl_pipeline; print(*set(sys.modules) - before)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == ["bfcl_pipeline"]
    assert all(callable(getattr(bfcl_pipeline, name)) for name in bfcl_pipeline.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'scored'"):
        _ = bfcl_pipeline.scored
