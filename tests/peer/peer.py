"""Runs the official package, which is installed in a separate environment, `.venv-peer`.

Covers finding that environment, running one of the `*_reference.py` scripts of this folder under it in
several processes, and exchanging rows as JSON Lines. The official package is never imported by the tests or
by the code under test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.share.official.scorer_process import VENDORS
from tests.support import ROOT

PYTHON = ROOT / ".venv-peer" / "bin" / "python"
REQUIRED = "BFCL_PEER_REQUIRED"
PROCESSES = 2


def require_peer() -> None:
    """Skips the calling test where `.venv-peer` is absent; fails it if BFCL_PEER_REQUIRED=1 is set."""
    if PYTHON.exists():
        return
    advice = f"{PYTHON.relative_to(ROOT)} is absent: `make parity` installs the official package there."
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{advice} {REQUIRED}=1 asks for it.")
    pytest.skip(advice)


def peer_environment(folder: Path) -> dict[str, str]:
    """Environment variables with which the official package starts: placeholder keys, a separate folder."""
    keys = {f"{vendor}_API_KEY": "unused" for vendor in VENDORS}
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),  # without the user's configuration
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),  # the references are modules of tests.peer
        "PYTHONUTF8": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "BFCL_PROJECT_ROOT": str(folder),
        **keys,
    }


def ask_peer(
    script: str, rows: Sequence[dict[str, Any]], folder: Path, processes: int = PROCESSES
) -> list[dict[str, Any]]:
    """The answers of `script`, a module of this folder, to `rows`, in their order.

    It is called as `python -m tests.peer.SCRIPT QUESTIONS ANSWERS`, once for each of `processes` stretches
    of the rows, and writes one JSON line for each that it reads.
    """
    size = -(-len(rows) // processes)
    stretches = [rows[start : start + size] for start in range(0, len(rows), size)] if rows else []
    running = [_start(script, stretch, folder / str(number)) for number, stretch in enumerate(stretches)]
    return [answer for asked in running for answer in asked.answers()]


class _Asked:
    """One running process and where it writes."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, count: int) -> None:
        self.process = process
        self.folder = folder
        self.count = count

    def answers(self) -> list[dict[str, Any]]:
        status = self.process.wait()
        log = (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        assert status == 0, f"the reference ended with {status}:\n{log[-4000:]}"
        with (self.folder / "answers.jsonl").open(encoding="ascii") as lines:
            answers = [json.loads(line) for line in lines]
        assert len(answers) == self.count, (
            f"the reference answered {len(answers)} of {self.count} rows:\n{log[-4000:]}"
        )
        return answers


def _start(script: str, rows: Sequence[dict[str, Any]], folder: Path) -> _Asked:
    folder.mkdir(parents=True)
    questions = folder / "questions.jsonl"
    with questions.open("w", encoding="ascii") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [
                str(PYTHON),
                "-W",
                "ignore",
                "-m",
                f"tests.peer.{script}",
                str(questions),
                str(folder / "answers.jsonl"),
            ],
            env=peer_environment(folder),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return _Asked(process, folder, len(rows))


def printed_under(script: str, staged: Path, hash_seed: str, seed: str) -> str:
    """What `script` prints, given the staged folder and a seed, in a process with that hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, str(staged), seed]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
