"""`bfcl-pipeline generate` beside another job that writes the same journal."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.generation.journal import Journal, journal_path
from tests.support.local_chat import local_chat

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(staged: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts the command; its journal of shard N is exchanges/m-FC/exchanges[.N].jsonl."""
    with local_chat() as server:
        row = {"name": "m-FC", "kind": "openai_chat", "endpoint": server.endpoint}
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))

        def started(*options: str) -> subprocess.Popen[str]:
            command = [
                sys.executable,
                "-m",
                "bfcl_pipeline.cli",
                "generate",
                "--run",
                "r",
                "--model",
                "m-FC",
            ]
            command += ["--models", "models.yaml", "--data", str(staged.resolve()), "--cache", "exchanges"]
            command += ["--category", "simple_java", "--sample", "4", "--out", "out", *options]
            return subprocess.Popen(
                command, cwd=tmp_path, env={**os.environ}, stderr=subprocess.PIPE, text=True
            )

        yield started


def test_it_fails_at_once_by_default(start: Start, tmp_path: Path) -> None:
    """The message names the process that writes the journal."""
    journal = Journal.open(journal_path(tmp_path / "exchanges/m-FC"))
    try:
        with start() as process:
            _, said = process.communicate(timeout=300)
    finally:
        asyncio.run(journal.close())
    assert process.returncode == 1
    assert f"process {os.getpid()}" in said
    assert not (tmp_path / "out").exists()


def test_it_waits_with_the_option(start: Start, tmp_path: Path) -> None:
    """It reports the process that it waits for, and continues when that has ended."""
    journal = Journal.open(journal_path(tmp_path / "exchanges/m-FC"))
    with start("--wait-for-lease") as process:
        assert process.stderr is not None
        said = next((line for line in process.stderr if "waiting for it to end" in line), None)
        running = process.poll() is None
        asyncio.run(journal.close())
        process.communicate(timeout=300)
    assert said is not None
    assert f"process {os.getpid()}" in said
    assert running
    assert process.returncode == 0
    assert (tmp_path / "out/simple_java.parquet").is_file()


def test_shards_write_side_by_side(start: Start, tmp_path: Path) -> None:
    """Each shard has its own journal, so that shards do not wait for each other."""
    journal = Journal.open(journal_path(tmp_path / "exchanges/m-FC"))
    try:
        with start("--shard", "2/2") as process:
            _, said = process.communicate(timeout=300)
    finally:
        asyncio.run(journal.close())
    assert process.returncode == 0, said
    lines = journal_path(tmp_path / "exchanges/m-FC", 2).read_text().splitlines()
    assert len(lines) == 2
