"""Models that cannot answer: known before the start where possible, never at the cost of the others."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.snakemake_project import OWN_MESSAGES, Project, make_project

CHOICE = {"run": "r", "categories": "simple_java,irrelevance", "sample": "30"}


MODELS = "works,dead-FC,keyless-FC"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Iterator[Project]:
    """A project with a model whose endpoint is dead, one whose key is not set, and one that works."""
    project = make_project(tmp_path_factory.mktemp("broken"))
    (project.folder / "data").symlink_to(staged)
    address = "http://127.0.0.1:9/v1"  # discard: nothing listens there
    rows = [
        {"name": "works", "kind": "oracle"},
        {"name": "dead-FC", "kind": "openai_chat", "endpoint": address},
        {"name": "keyless-FC", "kind": "openai_chat", "endpoint": address, "key": "BFCL_TEST_KEY"},
    ]
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("BFCL_TEST_KEY", raising=False)
        yield project


@pytest.fixture(scope="module")
def ran(broken: Project) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """That project after a run of the three models, and the run. Tests must not change it."""
    return broken, broken.snakemake(models=MODELS, **CHOICE)


def board(project: Project) -> dict[str, dict[str, str]]:
    """The official rows of the leaderboard by model."""
    with (project.folder / "results/r/tables/leaderboard.csv").open(newline="") as lines:
        return {row["model"]: row for row in csv.DictReader(lines) if row["rules"] == "official"}


def test_a_run_without_a_usable_model_starts_nothing(broken: Project) -> None:
    """Exit status 1, the reasons in the last lines, no results."""
    done = broken.snakemake(models="keyless-FC", **{**CHOICE, "run": "nothing"})
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == [
        "config: keyless-FC: BFCL_TEST_KEY is missing: export BFCL_TEST_KEY=... (or in the file .env)",
        "No model of the run can start.",
    ]
    assert not (broken.folder / "results/nothing").exists()


def test_models_without_answers_do_not_cost_the_others_their_report(
    ran: tuple[Project, subprocess.CompletedProcess[str]],
) -> None:
    """The missing key is said at once, the dead endpoint at the end; exit status 2, and all tables."""
    project, done = ran
    assert done.returncode == 2, done.stdout
    missing = done.stdout.index("keyless-FC: BFCL_TEST_KEY is missing: export BFCL_TEST_KEY=...")
    assert missing < done.stdout.index("[1/")  # before the first step
    lines = done.stdout.splitlines()
    reasons = [line for line in lines if ": no answers: " in line]
    assert len(reasons) == 2  # each reason stands once, under the table
    assert reasons[0].startswith("dead-FC: no answers: not sent: the first requests all failed: ")
    assert (
        "keyless-FC: no answers: model 'keyless-FC': the environment variable BFCL_TEST_KEY" in reasons[1]
    )
    assert lines.index(reasons[1]) < lines.index("Report: results/r/report.html")
    assert lines[-1] == "No answers: dead-FC, keyless-FC. The same command asks again. Exit status 2."
    rows = board(project)
    assert {name: row["rank"] for name, row in rows.items()} == {
        "works": "1",
        "dead-FC": "",
        "keyless-FC": "",
    }
    assert rows["dead-FC"]["overall"] == ""
    page = (project.folder / "results/r/report.html").read_text()
    assert "dead-FC: no answers: " in page


def test_a_plan_asks_the_models_without_answers_again(
    ran: tuple[Project, subprocess.CompletedProcess[str]],
) -> None:
    """And no other; a missing key is reported by a dry run too."""
    project, _ = ran
    again = project.snakemake("-n", *OWN_MESSAGES, models=MODELS, **CHOICE)
    assert again.returncode == 0, again.stdout
    assert "keyless-FC: BFCL_TEST_KEY is missing: export BFCL_TEST_KEY=..." in again.stdout
    assert "Generate all categories with dead-FC" in again.stdout
    assert "Generate all categories with works" not in again.stdout


def test_a_corrected_row_completes_the_run(
    ran: tuple[Project, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A model without any answer has nothing to replace: the same command asks it by the new row."""
    shutil.copytree(ran[0].folder, tmp_path / "corrected", symlinks=True)
    project = Project(tmp_path / "corrected")
    models = project.folder / "config/models.yaml"
    rows = yaml.safe_load(models.read_text())["models"]
    rows[1:] = [{"name": name, "kind": "lexical"} for name in ("dead-FC", "keyless-FC")]
    models.write_text(yaml.safe_dump({"models": rows}))
    assert project.steps(models=MODELS, **CHOICE) == [
        "Generate all categories with dead-FC",
        "Generate all categories with keyless-FC",
        "Score dead-FC",
        "Score keyless-FC",
        "Tabulate the verdicts of r",
        "Write the report of r",
    ]


def test_a_step_that_breaks_leaves_the_tables_of_the_others(project: Project) -> None:
    """They name the missing model; the next run generates it alone, and makes them again."""
    damaged = project.folder / "data/entries/format_sensitivity.parquet"
    whole = damaged.read_bytes()
    damaged.write_bytes(b"damaged")
    choice = {
        "run": "r",
        "models": "oracle-FC,oracle",
        "categories": "simple_java,format_sensitivity",
        "sample": "20",
    }
    done = project.snakemake(**choice)
    assert done.returncode == 1
    assert "all models but oracle, which did not finish." in done.stdout
    assert list(board(project)) == ["oracle-FC"]
    assert "oracle: no answers: its step failed" in (project.folder / "results/r/report.html").read_text()
    damaged.write_bytes(whole)
    assert project.steps(**choice) == [
        "Generate all categories with oracle",
        "Score oracle",
        "Tabulate the verdicts of r",
        "Write the report of r",
    ]
