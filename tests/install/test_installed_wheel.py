"""The first use of a wheel: installed from the package index, run in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.base import __version__
from bfcl_pipeline.share.archive.compare import compared_files, file_differences
from tests.support import ROOT

RUN = ("run", "-m", "oracle-FC,lexical", "--sample", "30", "--cores", "2")
NAME = "oracle-FC-lexical-30"


def bfcl(python: Path, folder: Path, *arguments: str) -> str:
    """The output of a command of one environment in `folder`, which must succeed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-m", "bfcl_pipeline.cli", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of a fresh environment with the wheel and its pinned dependencies."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    script = [sys.executable, ROOT / "install/environment.py", tmp_path / "venv", "--wheel", wheel]
    subprocess.run(script, check=True)
    return tmp_path / "venv/bin/python"


def assert_sizes_are_as_stated(environment: Path) -> None:
    """README states the size of the environment as it is installed, to 0.1 GB."""
    files = (path for path in environment.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    stated = re.search(r"The environment takes ([\d.]+) GB", readme)
    assert stated is not None
    assert abs(size / 1e9 - float(stated[1])) < 0.1, f"{size / 1e9:.2f} GB"


def test_a_wheel_in_an_empty_folder_gives_the_bytes_of_the_checkout(python: Path, tmp_path: Path) -> None:
    """It stages, runs, prints, archives and verifies there without a config, with equal bytes."""
    assert_sizes_are_as_stated(python.parents[1])
    installed, checkout = tmp_path / "installed", tmp_path / "checkout"
    installed.mkdir()
    checkout.mkdir()
    assert "site-packages" in bfcl(python, installed, *RUN, "-n", "--", "--verbose")
    bfcl(python, installed, *RUN)
    (checkout / "data").symlink_to(installed / "data")
    bfcl(Path(sys.executable), checkout, *RUN)
    mine, theirs = checkout / "results" / NAME, installed / "results" / NAME
    assert list(file_differences(mine, theirs)) == []
    assert len(compared_files(theirs)) == len(compared_files(mine)) > 0
    assert "Oracle (FC)" in bfcl(python, installed, "table", str(theirs))
    bfcl(python, installed, "archive", str(theirs))
    verified = bfcl(python, installed, "verify", f"results/{NAME}.crate.zip")
    assert "were derived again and are identical" in verified
    git = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    assert f"commit {commit}" in verified  # that of the checkout in which the wheel was built
    assert f"oracle-FC: asked by bfcl-pipeline {__version__} at {commit[:12]}" in verified
    assert "oracle-FC" in bfcl(python, installed, "models", "oracle")
