"""The commit of the code: in a checkout, and in a folder that a build made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bfcl_pipeline.base import __version__
from bfcl_pipeline.runs.provenance import Pipeline
from bfcl_pipeline.runs.provenance.software import find_pipeline
from tests.support import ROOT

HASH = "0123456789abcdef0123" * 2


def git(folder: Path, *arguments: str) -> str:
    """The output of a git command by a person without settings."""
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *author, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_checkout_has_the_commit_of_git(tmp_path: Path) -> None:
    """Code that differs from it is told; other files are not code."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "Snakefile").write_text("rule all:\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "notes.txt").write_text("mine")
    assert find_pipeline(tmp_path) == Pipeline(__version__, commit, changed=False)
    (tmp_path / "Snakefile").write_text("rule none:\n")
    assert find_pipeline(tmp_path) == Pipeline(__version__, commit, changed=True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{HASH}\n", Pipeline(__version__, HASH, changed=False)),
        (f"{HASH}-dirty\n", Pipeline(__version__, HASH, changed=True)),
        ("unknown\n", Pipeline(__version__, None, changed=False)),
        ("v1-3-gabc\n", Pipeline(__version__, None, changed=False)),
        (f"{HASH}\n\x1b[31m", Pipeline(__version__, None, changed=False)),
        (None, Pipeline(__version__, None, changed=False)),
    ],
)
def test_what_was_built_has_the_commit_in_a_file(tmp_path: Path, text: str | None, found: Pipeline) -> None:
    """Wheels, sdists and images have no .git."""
    if text is not None:
        (tmp_path / "COMMIT").write_text(text)
    assert find_pipeline(tmp_path) == found


def test_this_checkout_has_a_commit() -> None:
    """As the records of this machine's runs name it."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    assert find_pipeline(ROOT).commit == git(ROOT, "rev-parse", "HEAD")
