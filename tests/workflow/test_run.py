"""The workflow on a small sample of the real benchmark, run by Snakemake as a user runs it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from snakemake_project import Project, make_project

from bfcl_pipeline.benchmark import FORMATS

TINY = {
    "run": "tiny",
    "models": "[oracle-FC,oracle]",
    "categories": "[simple_python,irrelevance]",
    "sample": "20",  # 13 of 400 and 7 of 240
}
FORMAT_ID = f"format_sensitivity_0:{FORMATS[0].key}:simple_python_19"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Project:
    """A project after the tiny run. Tests may plan on it, not change it."""
    project = make_project(tmp_path_factory.mktemp("ran"))
    shutil.copytree(staged, project.folder / "data")
    done = project.snakemake(**TINY)
    assert done.returncode == 0, done.stdout
    return project


def rows(project: Project, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(project.folder / table).to_pylist()
    return found


def test_a_run_leaves_answers_verdicts_tables_and_the_report(ran: Project) -> None:
    """Every model answers the sample of every category; each answer is judged by both rule sets."""
    results = ran.folder / "results/tiny"
    for model in ("oracle-FC", "oracle"):
        verdicts = rows(ran, f"results/tiny/verdicts/{model}.parquet")
        assert Counter((row["category"], row["rules"]) for row in verdicts) == {
            ("simple_python", "official"): 13,
            ("simple_python", "corrected"): 13,
            ("irrelevance", "official"): 7,
            ("irrelevance", "corrected"): 7,
        }
        answers = rows(ran, f"results/tiny/responses/{model}/simple_python.parquet")
        assert {row["run"] for row in answers} == {"tiny"}
        assert (results / f"benchmarks/generate/{model}/irrelevance.tsv").is_file()
        assert (results / f"logs/score/{model}.log").is_file()
    assert (results / "tables/official/data_overall.csv").read_text().count("\n") == 2
    assert "<html" in (results / "report.html").read_text()


def test_both_modes_are_asked_the_same_entries(ran: Project) -> None:
    """A sample is drawn once for all models."""
    fc, prompt = (
        [row["entry_id"] for row in rows(ran, f"results/tiny/responses/{model}/simple_python.parquet")]
        for model in ("oracle-FC", "oracle")
    )
    assert fc == prompt


def test_a_second_run_has_nothing_to_do(ran: Project) -> None:
    """With nothing changed no step is run again."""
    again = ran.snakemake(**TINY)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_a_larger_sample_asks_only_the_categories_that_grow(ran: Project) -> None:
    """21 entries are one more of irrelevance: simple_python is not asked again."""
    assert ran.steps(**{**TINY, "sample": "21"}) == [
        "Ask oracle irrelevance",
        "Ask oracle-FC irrelevance",
        "Judge oracle",
        "Judge oracle-FC",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_other_rules_tabulate_anew(ran: Project) -> None:
    """Both rule sets were judged already: nothing is asked or judged again."""
    assert ran.steps(**TINY, rules="corrected") == [
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_another_model_is_asked_alone(ran: Project) -> None:
    """What the other models answered stays."""
    assert ran.steps(**{**TINY, "models": "[oracle-FC,oracle,lexical]"}) == [
        "Ask lexical irrelevance",
        "Ask lexical simple_python",
        "Judge lexical",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_a_forced_rule_takes_what_follows_with_it(ran: Project) -> None:
    """--forcerun does what a user of Snakemake expects."""
    assert ran.steps("--forcerun", "score", **TINY) == [
        "Judge oracle",
        "Judge oracle-FC",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_snakemake_writes_its_own_report(ran: Project) -> None:
    """--report packs the registered tables and the page, with their captions."""
    done = ran.snakemake("--report", "snakemake.html", **TINY)
    assert done.returncode == 0, done.stdout
    page = (ran.folder / "snakemake.html").read_text()
    assert "data_overall.csv" in page
    assert "report.html" in page


def test_a_model_that_is_left_out_leaves_the_tables(project: Project) -> None:
    """The tables show the models of the config, whatever else the folder holds from earlier."""
    config = {**TINY, "categories": "[simple_python]", "sample": "2"}
    assert project.snakemake(**config).returncode == 0
    assert project.snakemake(**{**config, "models": "[oracle]"}).returncode == 0
    board = rows(project, "results/tiny/tables/leaderboard.parquet")
    assert {row["model"] for row in board} == {"oracle"}


def test_a_config_file_of_ones_own_chooses_the_entries(project: Project) -> None:
    """--configfile replaces what it names; ids with `:` and `&` reach the command unharmed."""
    mine = project.folder / "mine.yaml"
    mine.write_text(f"run: mine\nmodels: [oracle]\nentry_ids: [simple_python_3, '{FORMAT_ID}']\n")
    done = project.snakemake("--configfile", "mine.yaml")
    assert done.returncode == 0, done.stdout
    verdicts = rows(project, "results/mine/verdicts/oracle.parquet")
    assert [(row["entry_id"], row["valid"]) for row in verdicts if row["rules"] == "official"] == [
        ("simple_python_3", True),
        (FORMAT_ID, True),
    ]


def test_a_model_that_became_another_is_asked_again(ran: Project, project: Project) -> None:
    """The kind of a model decides its answers; how it is displayed decides the tables only."""
    shutil.copytree(ran.folder, project.folder, dirs_exist_ok=True)
    models = project.folder / "config/models.yaml"
    shipped = models.read_text()
    models.write_text(shipped.replace("Oracle (Prompt)", "The oracle"))
    assert project.steps(**TINY) == ["Tabulate the verdicts of tiny", "Write the report of tiny"]
    models.write_text(shipped.replace("name: oracle\n", "name: oracle\n    kind: lexical\n"))
    assert project.steps(**TINY) == [
        "Ask oracle irrelevance",
        "Ask oracle simple_python",
        "Judge oracle",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]
