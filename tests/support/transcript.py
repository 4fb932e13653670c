"""Whole outputs of commands, each in a file beside its test; `pytest --update` writes these files again.

A test of what a command prints compares the whole of it with `transcripts/NAME.txt` (fixture `transcript`).
Run commands where paths are relative, since lines break by their length. What the benchmark's own data say
does not belong in the repository: give it as `names`, so that the file has a name in its place.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main

_TIMES = (
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+\d\d:?\d\d)?", "<time>"),
    (r"\b\d+(\.\d+)? (ms|s|seconds?|minutes?)\b", "<duration>"),
)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The files of one directory of tests."""

    folder: Path  # of the tests
    update: bool  # whether files are written, not compared
    capsys: pytest.CaptureFixture[str]

    def run(self, name: str, *words: str, code: int = 0, names: Mapping[str, str] | None = None) -> None:
        """`bfcl-pipeline` with these words exits with `code` and prints what the file has."""
        self.capsys.readouterr()
        assert main([*words]) == code
        printed = self.capsys.readouterr()
        self.same(name, f"$ bfcl-pipeline {' '.join(words)}\n{printed.out}{printed.err}", names)

    def same(self, name: str, text: str, names: Mapping[str, str] | None = None) -> None:
        """A text is that of the file, apart from times and from what `names` replaces, however it wraps."""
        for found, shown in (names or {}).items():
            text = re.sub(r"\s+".join(map(re.escape, found.split())), f"<{shown}>", text)
        for pattern, shown in _TIMES:
            text = re.sub(pattern, shown, text)
        path = self.folder / "transcripts" / f"{name}.txt"
        if self.update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), str(path), "now", lineterm=""
            )
            pytest.fail("\n".join([*lines, "If this is right: pytest --update"]), pytrace=False)
