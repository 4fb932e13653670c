"""`generate --replay` of models behind an API, with any number of shards in the journal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli import main
from tests.support.generate_run import MODEL, GenerateRun
from tests.support.local_chat import local_chat

CATEGORIES = ("simple_python", "memory_kv")
TABLES = ("responses/simple_python.parquet", "responses/memory_kv.parquet", "sessions/memory_kv.parquet")


@pytest.fixture
def run(entries: Callable[[str], list[Entry]], staged: Path, tmp_path: Path) -> GenerateRun:
    """A run of single turns and of two memories with all their sessions, not started yet."""
    remembered = [
        entry
        for entry in entries("memory_kv")
        if entry.scenario in ("notetaker", "healthcare") and not entry.prerequisite
    ]
    asked = [entry.entry_id for entry in (*entries("simple_python")[:12], *remembered[::12])]
    return GenerateRun(tmp_path / "run", staged, ["--category", *CATEGORIES, "--entry-ids", *asked])


def options(run: GenerateRun, *more: str) -> GenerateRun:
    """The run with further options."""
    return replace(run, selection=[*run.selection, *more])


def taken(run: GenerateRun, name: str) -> Path:
    """Moves the tables that the last command wrote to the folder `name`."""
    for part in ("responses", "sessions"):
        shutil.move(run.folder / part, run.folder.parent / name / part)
    return run.folder.parent / name


def test_shards_are_replayed_in_one_job(run: GenerateRun, staged: Path) -> None:
    """The journals of all shards answer, and the tables are those of the shards, merged."""
    with local_chat() as server:
        parts = []
        for part in ("1/2", "2/2"):
            assert options(run, "--shard", part).call(server) == 0
            parts.append(taken(run, f"part {part[0]}"))
    for part in parts:
        (part / "sessions").rename(part / "memory")
    command = ["gather", *map(str, parts), "--category", *CATEGORIES, "--data", str(staged)]
    joined = run.folder.parent / "joined"
    assert main([*command, "--out", f"{joined}/responses", "--sessions-out", f"{joined}/sessions"]) == 0
    assert options(run, "--replay").call(server) == 0  # a server that has stopped
    for table in TABLES:
        assert (run.folder / table).read_bytes() == (joined / table).read_bytes()


def test_failures_are_copied_only_where_an_answer_is_missing(run: GenerateRun) -> None:
    """An entry that another run with the same journal answered later has that answer, and is reported."""
    with local_chat() as server:
        server.behave(faults=0.3, only="500", seed=1)
        assert run.call(server, attempts=1, retry_seconds=0.01) == 0
        first = taken(run, "first")
        shutil.move(first / "sessions", first / "memory")
        for part in ("memory", "responses"):  # as in results/<run>
            shutil.move(first / part, first / "results" / part / MODEL)

        observed = ("--replay", "--observed", str(first / "results"))
        assert options(run, *observed).call(server) == 0
        for table in TABLES:
            part, name = table.replace("sessions", "memory").split("/")
            assert (run.folder / table).read_bytes() == (
                first / "results" / part / MODEL / name
            ).read_bytes()
        assert "taken over from the run" in run.output()
        assert "recorded since" not in run.output()

        failed = read_responses(first / f"results/responses/{MODEL}/simple_python.parquet")
        assert {one.status for one in failed} == {"answered", "infrastructure_error"}
        server.behave()
        assert run.call(server) == 0
        asked = taken(run, "again")
    assert options(run, *observed).call(server) == 0
    for table in TABLES:
        assert (run.folder / table).read_bytes() == (asked / table).read_bytes()
    assert "without an answer in the run, and answered by what was recorded since" in run.output()


def test_a_model_without_a_journal_is_not_recorded(run: GenerateRun) -> None:
    """Every entry has that status, and no answer."""
    with local_chat() as server:
        pass
    assert options(run, "--replay").call(server) == 0
    found = read_responses(run.folder / TABLES[0])
    assert {one.status for one in found} == {"not_recorded"}
    assert "not recorded: " in run.output()
    assert not (run.folder / "exchanges").exists()


def test_only_a_replay_copies_failures(run: GenerateRun) -> None:
    """Without --replay, the tables of another run are refused."""
    with local_chat() as server:
        code = options(run, "--observed", "elsewhere").call(server)
        assert server.counts()["requests"] == 0
    assert code == 1
    assert "--observed is only for --replay" in run.output()
