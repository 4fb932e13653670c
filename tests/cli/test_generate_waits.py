"""`bfcl-pipeline generate` beside another job that writes the same journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.journal import journal_path
from tests.support.journal_exchanges import opened
from tests.support.local_chat import local_chat

Command = Callable[..., list[str]]


@pytest.fixture
def command(staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    """The words of the command; its journal of shard N is exchanges/m-FC/exchanges[.N].jsonl."""
    monkeypatch.chdir(tmp_path)
    with local_chat() as server:
        row = {"name": "m-FC", "kind": "openai_chat", "endpoint": server.endpoint}
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))

        def words(*options: str) -> list[str]:
            words = ["generate", "--run", "r", "--model", "m-FC", "--models", "models.yaml"]
            words += ["--data", str(staged.resolve()), "--cache", "exchanges"]
            return [*words, "--category", "simple_java", "--sample", "4", "--out", "out", *options]

        yield words


def test_it_fails_at_once_by_default(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the process that writes the journal."""
    with opened(journal_path(tmp_path / "exchanges/m-FC")):
        assert main(command()) == 1
    assert f"process {os.getpid()}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_it_waits_with_the_option(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reports the process that it waits for, and continues when that has ended."""
    reading, writing = os.pipe()
    said: list[str] = []
    with (
        opened(journal_path(tmp_path / "exchanges/m-FC")) as journal,
        os.fdopen(reading) as lines,
        os.fdopen(writing, "w", buffering=1) as errors,
        ThreadPoolExecutor(1) as beside,
    ):

        def end_the_other() -> bool:
            said.append(next(line for line in lines if "waiting for it to end" in line))
            made = (tmp_path / "out").exists()
            journal.close()
            return made

        ended = beside.submit(end_the_other)
        monkeypatch.setattr("sys.stderr", errors)
        status = main(command("--wait-for-lease"))
        errors.close()
        assert not ended.result()
    assert status == 0
    assert f"process {os.getpid()}" in said[0]
    assert (tmp_path / "out/simple_java.parquet").is_file()


def test_shards_write_side_by_side(command: Command, tmp_path: Path) -> None:
    """Each shard has its own journal, so that shards do not wait for each other."""
    with opened(journal_path(tmp_path / "exchanges/m-FC")):
        assert main(command("--shard", "2/2")) == 0
    lines = journal_path(tmp_path / "exchanges/m-FC", 2).read_text().splitlines()
    assert len(lines) == 2
