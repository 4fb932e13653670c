"""Comparison of whole outputs with files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.transcript import Transcript


def test_another_text_fails(transcript: Transcript, tmp_path: Path) -> None:
    """A text that differs fails, as one without a file does; what is named may wrap anywhere."""
    here = replace(transcript, folder=tmp_path, update=False)
    with pytest.raises(pytest.fail.Exception, match="--update"):
        here.same("one", "a text")
    replace(here, update=True).same("one", "at 2026-01-02T03:04:05Z the cat\n  sat", {"the cat sat": "cat"})
    here.same("one", "at 2027-11-12 13:14 the\n cat sat", {"the cat sat": "cat"})
    with pytest.raises(pytest.fail.Exception, match=r"\+at <time> the dog sat"):
        here.same("one", "at 2027-11-12 13:14 the dog sat", {"the cat sat": "cat"})


def test_every_file_belongs_to_a_test() -> None:
    """The name of each file is written in a test of its directory."""
    for path in ROOT.glob("tests/**/transcripts/*.txt"):
        tests = (test.read_text(encoding="utf-8") for test in path.parents[1].glob("test_*.py"))
        assert any(f'"{path.stem}"' in text for text in tests), f"no test compares {path}"
