"""`bfcl-pipeline generate` as a user runs it, with the local server; and the files that a run writes.

Covers starting the command in a separate folder or calling it in this process, its tables without columns
that depend on time, and the answers in its journal.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from tests.support.local_chat import LocalChat

MODEL = "local-FC"
COMMAND = """
import sys
from bfcl_pipeline.cli import main
code = main(sys.argv[1:])
print(*(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(code)
"""
"""Runs the command line and prints its peak memory at the end (measured from outside, it would include the
parent's)."""
_ANSWER = re.compile(rb'"chatcmpl-([0-9a-f]+)-(\d+)"')


@dataclass(frozen=True, slots=True)
class GenerateRun:
    """One run and its folder."""

    folder: Path
    staged: Path
    selection: Sequence[str]  # options that select the entries

    def start(self, server: LocalChat, trial: int = 1, **limits: float) -> subprocess.Popen[bytes]:
        """Starts the command with `limits` in the model's row; its output is written to log.txt."""
        command = [sys.executable, "-c", COMMAND, *self._words(server, trial, limits)]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env={**os.environ, "PYTHONWARNINGS": "error"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _words(self, server: LocalChat, trial: int, limits: Mapping[str, float]) -> list[str]:
        """The command line, whose models file is written."""
        self.folder.mkdir(exist_ok=True)
        row = {"name": MODEL, "kind": "openai_chat", "endpoint": server.endpoint, "limits": limits}
        models = self.folder / "models.yaml"
        models.write_text(yaml.safe_dump({"models": [row]}), encoding="utf-8")
        words = ["generate", "--run", "test", "--model", MODEL, "--models", str(models)]
        words += ["--data", str(self.staged.resolve()), "--cache", str(self._cache)]
        words += ["--trial", str(trial), *self.selection, "--out", str(self.folder / "responses")]
        return [*words, "--sessions-out", str(self.folder / "sessions")]

    def complete(self, server: LocalChat, trial: int = 1, **limits: float) -> None:
        """The command, to its end."""
        with self.start(server, trial, **limits) as process:
            code = process.wait()
        assert code == 0, self.output()

    def call(self, server: LocalChat, trial: int = 1, **limits: float) -> int:
        """The command in this process, to its end; returns its exit status."""
        words = self._words(server, trial, limits)
        with self._log.open("a", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
            return main(words)

    def output(self) -> str:
        """The command's output so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def peak_bytes(self) -> int:
        """The most memory that the command had when it last ended by itself."""
        return int(re.findall(r"VmHWM:\s*(\d+) kB", self.output())[-1]) * 1024

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of every table of the run, by its path, without seconds."""
        parts = (self.folder / "responses", self.folder / "sessions")
        files = [path for part in parts for path in part.rglob("*.parquet")]
        return {
            str(path.relative_to(self.folder)): [_timeless(row) for row in read_table(path).to_pylist()]
            for path in files
        }

    def journaled(self) -> Counter[str]:
        """The number of answers to each request in the journal, by the request's digest.

        An incomplete line does not count.
        """
        path = self._cache / MODEL / "exchanges.jsonl"
        if not path.exists():
            return Counter()
        digests: Counter[str] = Counter()
        numbers = set()
        for line in path.read_bytes().split(b"\n")[:-1]:
            json.loads(line)
            found = _ANSWER.findall(line)
            if found:
                ((digest, number),) = found
                digests[digest.decode("ascii")] += 1
                numbers.add(number)
        assert len(numbers) == digests.total(), "an answer was journaled twice"
        return digests

    @property
    def _cache(self) -> Path:
        return self.folder / "exchanges"

    @property
    def _log(self) -> Path:
        return self.folder / "log.txt"


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    """`row` without the columns that hold times."""
    steps = [{**step, "latency_seconds": None} for step in row["steps"]]
    return {**row, "latency_seconds": None, "steps": steps}
