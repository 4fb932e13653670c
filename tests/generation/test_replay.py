"""`generate --replay` of what models behind an API were asked, whoever asked it and in how many parts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from generate_run import MODEL, GenerateRun
from local_chat import local_chat

from bfcl_pipeline.cli import main
from bfcl_pipeline.records import Entry
from bfcl_pipeline.tables import read_responses

CATEGORIES = ("simple_python", "memory_kv")
TABLES = (
    "responses/simple_python.parquet",
    "responses/memory_kv.parquet",
    "sessions/memory_kv.parquet",
)


@pytest.fixture
def run(entries: Callable[[str], list[Entry]], staged: Path, tmp_path: Path) -> GenerateRun:
    """A run of single turns and of two memories with all their sessions, of which nothing was asked yet."""
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
    """The tables that the last command wrote, put away."""
    for part in ("responses", "sessions"):
        shutil.move(run.folder / part, run.folder.parent / name / part)
    return run.folder.parent / name


def test_what_shards_were_asked_is_derived_in_one_piece(run: GenerateRun, staged: Path) -> None:
    """The journals of all parts answer, and the tables are those of the parts, joined."""
    with local_chat() as server:
        parts = []
        for part in ("1/2", "2/2"):
            options(run, "--shard", part).complete(server)
            parts.append(taken(run, f"part {part[0]}"))
    for part in parts:
        (part / "sessions").rename(part / "memory")
    command = ["gather", *map(str, parts), "--category", *CATEGORIES, "--data", str(staged)]
    joined = run.folder.parent / "joined"
    assert main([*command, "--out", f"{joined}/responses", "--sessions-out", f"{joined}/sessions"]) == 0
    options(run, "--replay").complete(server)  # which is gone
    for table in TABLES:
        assert (run.folder / table).read_bytes() == (joined / table).read_bytes()


def test_failures_are_taken_over_only_where_an_answer_is_missing(run: GenerateRun) -> None:
    """What another run with the same journal had answered since is answered, and that is said."""
    with local_chat() as server:
        server.behave(faults=0.3, only="500", seed=1)
        run.complete(server, attempts=1, retry_seconds=0.01)
        first = taken(run, "first")
        shutil.move(first / "sessions", first / "memory")
        for part in ("memory", "responses"):  # as in results/<run>
            shutil.move(first / part, first / "results" / part / MODEL)

        observed = ("--replay", "--observed", str(first / "results"))
        options(run, *observed).complete(server)
        for table in TABLES:
            part, name = table.replace("sessions", "memory").split("/")
            assert (run.folder / table).read_bytes() == (
                first / "results" / part / MODEL / name
            ).read_bytes()
        assert "taken over from the run" in run.told()
        assert "recorded since" not in run.told()

        failed = read_responses(first / f"results/responses/{MODEL}/simple_python.parquet")
        assert {one.status for one in failed} == {"answered", "infrastructure_error"}
        server.behave()
        run.complete(server)
        asked = taken(run, "again")
    options(run, *observed).complete(server)
    for table in TABLES:
        assert (run.folder / table).read_bytes() == (asked / table).read_bytes()
    assert "without an answer in the run, and answered by what was recorded since" in run.told()


def test_a_model_without_a_journal_is_not_recorded(run: GenerateRun) -> None:
    """Every entry says so, and nothing is made up."""
    with local_chat() as server:
        pass
    options(run, "--replay").complete(server)
    found = read_responses(run.folder / TABLES[0])
    assert {one.status for one in found} == {"not_recorded"}
    assert "not recorded: " in run.told()
    assert not (run.folder / "exchanges").exists()


def test_what_is_asked_takes_nothing_over(run: GenerateRun) -> None:
    """The tables of another run are for replays."""
    with local_chat() as server:
        with options(run, "--observed", "elsewhere").start(server) as process:
            code = process.wait()
        assert server.counts()["requests"] == 0
    assert code == 1
    assert "--observed is only for --replay" in run.told()
