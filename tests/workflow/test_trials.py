"""The benchmark repeated, asked of a server on this machine by Snakemake as a user runs it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from local_chat import LocalChat, local_chat
from snakemake_project import Project, make_project

REPEATED = {
    "run": "repeated",
    "models": "[near/chat-FC,oracle-FC]",
    "categories": "[simple_python,memory_kv]",
    "entry_ids": "[simple_python_0,simple_python_1,memory_kv_0-customer-0]",
    "trials": "3",
}
NAMES = ["near/chat-FC", "near/chat-FC~2", "near/chat-FC~3"]
FOLDERS = ["near_chat-FC", "near_chat-FC~2", "near_chat-FC~3"]


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, staged: Path, server: LocalChat) -> Project:
    """A project after the repeated run. Tests may plan on it, not change it."""
    project = make_project(tmp_path_factory.mktemp("trials"))
    shutil.copytree(staged, project.folder / "data")
    (project.folder / "config/models.yaml").write_text(
        "models:\n"
        "  - {name: oracle-FC, kind: oracle}\n"
        f"  - {{name: near/chat-FC, kind: openai_chat, model: chat, endpoint: '{server.endpoint}',"
        " display_name: Chat}\n"
    )
    server.behave()
    done = project.snakemake(**REPEATED)
    assert done.returncode == 0, done.stdout
    return project


def rows(project: Project, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(project.folder / "results/repeated" / table).to_pylist()
    return found


def test_each_trial_has_a_name_and_files_of_its_own(ran: Project) -> None:
    """Responses, sessions and verdicts of the later ones bear their number; the oracle is asked once."""
    results = ran.folder / "results/repeated"
    assert sorted(path.name for path in (results / "responses").iterdir()) == [*FOLDERS, "oracle-FC"]
    for name, folder in zip(NAMES, FOLDERS, strict=True):
        assert {row["model"] for row in rows(ran, f"responses/{folder}/simple_python.parquet")} == {name}
        assert {row["model"] for row in rows(ran, f"memory/{folder}/memory_kv.parquet")} == {name}
        assert {row["model"] for row in rows(ran, f"verdicts/{folder}.parquet")} == {name}


def test_each_trial_asks_anew_and_keeps_its_answers(ran: Project, server: LocalChat) -> None:
    """What one trial was answered is no answer of another; within one nothing is sent twice."""
    kept = [
        len((ran.folder / f"cache/exchanges/{folder}/exchanges.jsonl").read_text().splitlines())
        for folder in FOLDERS
    ]
    assert sum(kept) == server.counts()["requests"]
    assert all(kept)


def test_the_tables_list_each_trial_and_tell_their_spread(ran: Project) -> None:
    """The leaderboard has a line for each; `trials` the mean and deviation of every score."""
    official = [row for row in rows(ran, "tables/leaderboard.parquet") if row["rules"] == "official"]
    shown = {row["model"]: row["display_name"] for row in official}
    assert shown == {
        "near/chat-FC": "Chat",
        "near/chat-FC~2": "Chat (trial 2)",
        "near/chat-FC~3": "Chat (trial 3)",
        "oracle-FC": "oracle-FC",
    }
    spread = [row for row in rows(ran, "tables/trials.parquet") if row["score"] == "overall"]
    assert [(row["rules"], row["model"], row["trials"]) for row in spread] == [
        ("official", "near/chat-FC", 3),
        ("corrected", "near/chat-FC", 3),
    ]
    assert 'id="trials"' in (ran.folder / "results/repeated/report.html").read_text()


def test_a_second_run_has_nothing_to_do(ran: Project) -> None:
    """That one trial was done before another is no reason to do the other again."""
    again = ran.snakemake(**REPEATED)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_one_trial_more_is_all_that_is_asked(ran: Project) -> None:
    """Those that were done stay."""
    steps = ran.steps(**{**REPEATED, "trials": "4"})
    assert [step for step in steps if step.startswith("Ask")] == ["Ask near_chat-FC~4 everything"]


def test_a_trial_that_is_done_again_leaves_the_later_ones(ran: Project) -> None:
    """The order among trials is for the journal alone."""
    steps = ran.steps("--forcerun", "generate_near_chat-FC", **REPEATED)
    assert [step for step in steps if step.startswith("Ask")] == ["Ask near_chat-FC everything"]
