"""Results of other tools and teams beside one's own model in a run, by the commands that a user types.

The results are real: a run of this pipeline, exported as a result folder of the official tool and archived.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.compare import missing_answers
from bfcl_pipeline.share.archive.replay import ReplayResult
from tests.support.snakemake_project import Project, make_project

THEIRS = {"run": "theirs", "models": "[lexical,lexical-FC]", "categories": "[simple_python,memory_kv]"}
OURS = {
    "run": "ours",
    "models": "[oracle,team-FC,team,archived]",
    "categories": "[simple_python,memory_kv]",
    "sample": "30",
}
ROWS: list[dict[str, Any]] = [
    {"name": "team-FC", "kind": "results", "path": "published/result/lexical-FC"},
    {"name": "team", "kind": "results", "path": "published/result", "model": "lexical"},
    {"name": "archived", "kind": "results", "path": "theirs.crate.zip", "model": "lexical"},
]

PUBLISHED = """\
published:
  - {path: published/leaderboard.csv, date: 2025-12-16, source: https://example.org/leaderboard}
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """A project with a run in which published results are models."""

    project: Project
    output: str  # of that run

    @property
    def results(self) -> Path:
        return self.project.folder / "results/ours"

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bfcl_pipeline.cli", *words],
            cwd=self.project.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Ran:
    """The run. Tests must not change its results."""
    project = make_project(tmp_path_factory.mktemp("results_rows"))
    shutil.copytree(staged / "release", project.folder / "data/release")
    shutil.copytree(staged / "entries", project.folder / "data/entries")
    project.call(**THEIRS, sample="40")
    ran = Ran(project, "")
    for words in (
        ("export-official", "theirs", "--out", "published"),
        ("archive", "theirs", "--out", "theirs.crate.zip"),
    ):
        made = ran.command(*words)
        assert made.returncode == 0, made.stderr
    overall = project.folder / "results/theirs/tables/official/data_overall.csv"
    shutil.copy(overall, project.folder / "published/leaderboard.csv")
    shutil.rmtree(project.folder / "results/theirs")
    config = project.folder / "config/config.yaml"
    config.write_text(config.read_text().replace("published: []", PUBLISHED))
    (project.folder / "config/my_models.yaml").write_text(yaml.safe_dump({"models": ROWS}))
    done = project.snakemake(**OURS)
    assert done.returncode == 0, done.stdout
    return Ran(project, done.stdout)


def verdicts(ran: Ran, model: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The verdicts of one model by rules and entry id."""
    rows = pq.read_table(ran.results / f"verdicts/{model}.parquet").to_pylist()
    return {(row["rules"], row["entry_id"]): row for row in rows}


def test_results_are_judged_and_tabulated_beside_a_model_that_was_asked(ran: Ran) -> None:
    """Every model has verdicts on the sample of the run; equal answers from two sources have equal ones."""
    rows = pq.read_table(ran.results / "tables/leaderboard.parquet").to_pylist()
    kinds = {row["model"]: row["kind"] for row in rows}
    assert kinds == {"oracle": "oracle", "team-FC": "results", "team": "results", "archived": "results"}
    assert {(row["entries"], row["answered"]) for row in rows if row["rules"] == "official"} == {(30, 30)}
    team, archived = verdicts(ran, "team"), verdicts(ran, "archived")
    assert set(team) == set(archived) == set(verdicts(ran, "oracle"))
    assert {key: row["valid"] for key, row in team.items()} == {
        key: row["valid"] for key, row in archived.items()
    }
    assert Counter(row["run"] for row in archived.values()).keys() == {"ours"}


def test_memory_sessions_come_with_the_results(ran: Ran) -> None:
    """The sessions before memory questions are in the run, with the memory after each."""
    found = {}
    for model in ("team", "archived"):
        table = pq.read_table(ran.results / f"memory/{model}/memory_kv.parquet")
        found[model] = dict(
            zip(table["entry_id"].to_pylist(), table["snapshot_json"].to_pylist(), strict=True)
        )
        assert all(found[model].values())
    assert found["team"].keys() == found["archived"].keys() != set()


def test_no_model_of_results_was_asked(ran: Ran) -> None:
    """The run has no journal: neither results nor embedded models send requests."""
    assert not (ran.project.folder / "cache/exchanges").exists()
    assert "taken from results" not in ran.output


def test_a_changed_file_of_results_repeats_its_model_alone(ran: Ran) -> None:
    """The step of a model is planned again when its results change, and no other step of generation."""
    assert not ran.project.steps(**OURS)
    path = ran.project.folder / "published/result/lexical-FC/non_live/BFCL_v4_simple_python_result.json"
    before = path.read_text()
    times = path.stat()
    path.write_text(before.replace('"latency": ', '"latency":  '))
    try:
        steps = ran.project.steps(**OURS)
    finally:
        path.write_text(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    generating = [step for step in steps if step.startswith("Generate")]
    assert generating == ["Generate all categories with team-FC"]


def test_published_scores_stand_beside_the_run_and_are_part_of_nothing_else(ran: Ran) -> None:
    """They are in the terminal table and on the page with date and source, and in no table of the run."""
    printed = ran.command("table", "ours").stdout.splitlines()
    published = [line.split() for line in printed if line.startswith("P ")]
    assert [line[1] for line in published] == ["Lexical", "Lexical"]
    assert any("leaderboard.csv of 2025-12-16, https://example.org/leaderboard" in line for line in printed)
    rows = pq.read_table(ran.results / "tables/published.parquet").to_pylist()
    assert {row["display_name"] for row in rows} == {"Lexical (Prompt)", "Lexical (FC)"}
    assert 'class="rank published"' in (ran.results / "report.html").read_text()
    ranked = (ran.results / "tables/leaderboard.csv").read_text()
    assert "Lexical" not in ranked
    assert "Lexical" not in (ran.results / "tables/official/data_overall.csv").read_text()
    recorded = yaml.safe_load((ran.results / "config.yaml").read_text())["published"]
    assert [(one["path"], one["date"], len(one["sha256"])) for one in recorded] == [
        ("leaderboard.csv", "2025-12-16", 64)
    ]


def test_a_replay_says_which_answers_it_takes_from_the_run(ran: Ran) -> None:
    """Its result states how many are not derived. The next test derives them, without a file at `path`."""
    given = tuple(Run(ran.results).recorded.given)
    result = ReplayResult(ran.results, 1, (), missing_answers(ran.results), given, 0)
    said = "\n".join(result.lines())
    assert "Taken from the run, not derived: the answers of 3 models of kind results" in said


def test_an_archive_of_such_a_run_verifies_as_far_as_it_can_be_derived(ran: Ran) -> None:
    """The archive has the answers but not where they were; verification names what is not derived."""
    out = ran.project.folder / "ours.crate.zip"
    made = ran.command("archive", "ours", "--out", str(out))
    assert made.returncode == 0, made.stderr
    recorded = yaml.safe_load((ran.results / "models.yaml").read_text())["models"]
    assert {row["name"]: row.get("path") for row in recorded} == {
        "oracle": None,
        "team-FC": "lexical-FC",
        "team": "result",
        "archived": "theirs.crate.zip",
    }
    checked = ran.command("verify", str(out))
    text = checked.stdout + checked.stderr
    assert checked.returncode == 3, text
    assert "DIFFERS" not in text
    assert "derived again and are identical" in text
    assert "not verified  answers    Taken from the run, not derived: the answers of 3 models" in text
