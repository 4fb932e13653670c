"""Several trials of the benchmark, with a server on this machine and Snakemake as a user runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.support.local_chat import LocalChat, local_chat
from tests.support.snakemake_project import Project, make_project

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
    (project.folder / "data").symlink_to(staged)
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


def test_each_trial_has_its_own_name_and_files(ran: Project) -> None:
    """Files of later trials have their number in the name; the oracle runs once."""
    results = ran.folder / "results/repeated"
    assert sorted(path.name for path in (results / "responses").iterdir()) == [*FOLDERS, "oracle-FC"]
    for name, folder in zip(NAMES, FOLDERS, strict=True):
        assert {row["model"] for row in rows(ran, f"responses/{folder}/simple_python.parquet")} == {name}
        assert {row["model"] for row in rows(ran, f"memory/{folder}/memory_kv.parquet")} == {name}
        assert {row["model"] for row in rows(ran, f"verdicts/{folder}.parquet")} == {name}


def test_each_trial_sends_its_own_requests_and_keeps_its_answers(ran: Project, server: LocalChat) -> None:
    """A trial never uses answers to another trial; within one trial no request is sent twice."""
    kept = [
        len((ran.folder / f"cache/exchanges/{folder}/exchanges.jsonl").read_text().splitlines())
        for folder in FOLDERS
    ]
    assert sum(kept) == server.counts()["requests"]
    assert all(kept)


def test_the_tables_list_each_trial_and_show_their_spread(ran: Project) -> None:
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
        ("verified", "near/chat-FC", 3),
    ]
    # The server answers the same each time: nothing is flaky, and no error comes from trials.
    assert {(row["entries"], row["flaky"], row["within"]) for row in spread} == {(3, 0, 0.0)}
    assert all(row["ci_low"] <= row["mean"] <= row["ci_high"] for row in spread)
    assert not (ran.folder / "results/repeated/tables/flaky.parquet").exists()
    chances = [row for row in rows(ran, "tables/pass_k.parquet") if row["score"] == "simple_python"]
    assert [row["k"] for row in chances if row["rules"] == "official"] == [1, 2, 3]
    assert len({(row["rules"], row["pass_k"]) for row in chances}) == 3
    assert 'id="trials"' in (ran.folder / "results/repeated/report.html").read_text()


def test_a_second_run_has_nothing_to_do(ran: Project) -> None:
    """The order in which trials were run is not a reason to run one again."""
    again = ran.snakemake(**REPEATED)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_one_more_trial_or_a_repeated_one_changes_no_other(ran: Project) -> None:
    """Those that were done stay; the order among trials is for the journal alone."""
    steps = ran.steps("--forcerun", "generate_near_chat-FC", **{**REPEATED, "trials": "4"})
    assert [step for step in steps if step.startswith("Generate")] == [
        "Generate all categories with near_chat-FC",
        "Generate all categories with near_chat-FC~4",
    ]
