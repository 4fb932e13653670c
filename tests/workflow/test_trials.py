"""Several trials of the benchmark, run by Snakemake as a user runs it: those of the small run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.share.archive.small_run import CONFIG, SmallRun
from tests.support.snakemake_project import Project

NAMES = ["near/chat-FC", "near/chat-FC~2"]
FOLDERS = ["near_chat-FC", "near_chat-FC~2"]


def rows(run: SmallRun, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(run.results / table).to_pylist()
    return found


@pytest.fixture
def copied(small_run: SmallRun, tmp_path: Path) -> Project:
    """A copy of its project with the same times, on which Snakemake may plan."""
    return Project(shutil.copytree(small_run.folder, tmp_path / "project", symlinks=True))


def test_each_trial_has_its_own_name_and_files(small_run: SmallRun) -> None:
    """Files of later trials have their number in the name; the oracle runs once."""
    models = {path.name for path in (small_run.results / "logs/generate").glob("*.log")}
    assert models == {f"{folder}.log" for folder in (*FOLDERS, "oracle-FC")}
    tables = ("responses/{}/simple_python.parquet", "memory/{}/memory_kv.parquet", "verdicts/{}.parquet")
    for name, folder in zip(NAMES, FOLDERS, strict=True):
        for table in tables:
            assert {row["model"] for row in rows(small_run, table.format(folder))} == {name}


def test_each_trial_sends_its_own_requests_and_keeps_its_answers(small_run: SmallRun) -> None:
    """A trial never uses answers to another trial; within one trial no request is sent twice."""
    kept = []
    for folder in FOLDERS:
        lines = (small_run.cache / f"exchanges/{folder}/exchanges.jsonl").read_text().splitlines()
        kept.append([json.loads(line) for line in lines if line.endswith("}")])
    for exchanges in kept:
        assert exchanges
        assert len({exchange["key"] for exchange in exchanges}) == len(exchanges)
    answers = [exchange["raw"]["id"] for exchanges in kept for exchange in exchanges]
    assert len(set(answers)) == len(answers)  # the server numbers its answers


def test_the_tables_list_each_trial_and_show_their_spread(small_run: SmallRun) -> None:
    """The leaderboard has a line for each; `trials` the mean and deviation of every score."""
    official = [row for row in rows(small_run, "tables/leaderboard.parquet") if row["rules"] == "official"]
    shown = {row["model"]: row["display_name"] for row in official}
    assert shown == {
        "near/chat-FC": "near/chat-FC",
        "near/chat-FC~2": "near/chat-FC (trial 2)",
        "oracle-FC": "oracle-FC",
    }
    spread = [row for row in rows(small_run, "tables/trials.parquet") if row["score"] == "overall"]
    assert [(row["rules"], row["model"], row["trials"]) for row in spread] == [
        ("official", "near/chat-FC", 2),
        ("corrected", "near/chat-FC", 2),
        ("verified", "near/chat-FC", 2),
    ]
    # The server answers the same each time: nothing is flaky, and no error comes from trials.
    assert {(row["flaky"], row["within"]) for row in spread} == {(0, 0.0)}
    assert all(row["ci_low"] <= row["mean"] <= row["ci_high"] for row in spread)
    assert not (small_run.results / "tables/flaky.parquet").exists()
    chances = [row for row in rows(small_run, "tables/pass_k.parquet") if row["score"] == "simple_python"]
    assert [row["k"] for row in chances if row["rules"] == "official"] == [1, 2]
    assert len({(row["rules"], row["pass_k"]) for row in chances}) == 3
    assert 'id="trials"' in (small_run.results / "report.html").read_text()


def test_a_second_run_has_nothing_to_do(copied: Project) -> None:
    """The order in which trials were run is not a reason to run one again."""
    assert copied.steps(**CONFIG) == []


def test_one_more_trial_or_a_repeated_one_changes_no_other(copied: Project) -> None:
    """Those that were done stay; the order among trials is for the journal alone."""
    steps = copied.steps("--forcerun", "generate_near_chat-FC", **{**CONFIG, "trials": "3"})
    assert [step for step in steps if step.startswith("Generate")] == [
        "Generate all categories with near_chat-FC",
        "Generate all categories with near_chat-FC~3",
    ]
