"""The examples of docs/environments.md are right, and an episode loads no heavy library."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT


def test_the_examples_print_what_the_page_has(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder with staged data."""
    (tmp_path / "data").symlink_to(staged)
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / "docs/environments.md"), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def test_an_episode_needs_no_model_library(staged: Path) -> None:
    """Neither torch nor transformers nor an HTTP client is imported to play one."""
    program = (
        "import sys; from bfcl_pipeline.environments import Episode\n"
        f"episode = Episode('multi_turn_base_12', data={str(staged)!r})\n"
        "while not episode.done: episode.answer({'role': 'assistant', 'content': 'No.'})\n"
        "assert episode.reward == 0\n"
        "print({'torch', 'transformers', 'aiohttp', 'httpx', 'ddgs', 'snakemake'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
