"""The workflow on a small sample of the real benchmark, run by Snakemake as a user runs it."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import Any

import pyarrow.parquet as pq

from bfcl_pipeline.benchmark.definition import FORMATS
from tests.support.snakemake_project import TINY, Project

TABLES = "results/tiny/tables/leaderboard.parquet"
FORMAT_ID = f"format_sensitivity_0:{FORMATS[0].key}:simple_python_19"


def rows(project: Project, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(project.folder / table).to_pylist()
    return found


def test_a_run_leaves_answers_verdicts_tables_and_the_report(ran: Project) -> None:
    """Every model answers the sample of every category; each answer has a verdict under all rule sets."""
    results = ran.folder / "results/tiny"
    for model in ("oracle-FC", "oracle"):
        verdicts = rows(ran, f"results/tiny/verdicts/{model}.parquet")
        assert Counter((row["category"], row["rules"]) for row in verdicts) == {
            ("simple_python", "official"): 13,
            ("simple_python", "corrected"): 13,
            ("simple_python", "verified"): 13,
            ("irrelevance", "official"): 7,
            ("irrelevance", "corrected"): 7,
            ("irrelevance", "verified"): 7,
        }
        answers = rows(ran, f"results/tiny/responses/{model}/simple_python.parquet")
        assert {row["run"] for row in answers} == {"tiny"}
        assert (results / f"benchmarks/generate/{model}.tsv").is_file()
        assert (results / f"logs/score/{model}.log").is_file()
    assert (results / "tables/official/data_overall.csv").read_text().count("\n") == 2
    page = (results / "report.html").read_text()
    assert "<html" in page
    assert 'id="bfcl-index"' in page  # every entry
    assert (results / "report").is_dir()


def test_both_modes_run_the_same_entries(ran: Project) -> None:
    """A sample is drawn once for all models."""
    fc, prompt = (
        [row["entry_id"] for row in rows(ran, f"results/tiny/responses/{model}/simple_python.parquet")]
        for model in ("oracle-FC", "oracle")
    )
    assert fc == prompt


def test_a_second_run_has_nothing_to_do(ran: Project, bare: Project) -> None:
    """Without changes, no step is run again."""
    shutil.copytree(ran.folder, bare.folder, symlinks=True, dirs_exist_ok=True)
    again = bare.snakemake(**TINY)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_a_larger_sample_runs_the_models_again(ran: Project) -> None:
    """The job of a model covers all its categories; nothing else but scores and tables is recomputed."""
    assert ran.steps(**{**TINY, "sample": "21"}) == [
        "Generate all categories with oracle",
        "Generate all categories with oracle-FC",
        "Score oracle",
        "Score oracle-FC",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_only_the_added_model_runs_under_other_rules(ran: Project) -> None:
    """All rule sets have verdicts already: of the other models, nothing is generated or scored again."""
    assert ran.steps(**{**TINY, "models": "[oracle-FC,oracle,lexical]"}, rules="corrected") == [
        "Generate all categories with lexical",
        "Score lexical",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_a_forced_rule_also_reruns_later_rules(ran: Project) -> None:
    """--forcerun reruns the rule and all rules that depend on its outputs."""
    assert ran.steps("--forcerun", "score", **TINY) == [
        "Score oracle",
        "Score oracle-FC",
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


def test_a_removed_model_is_not_in_the_tables(ran: Project, bare: Project) -> None:
    """The tables show only the models of the config, even if the folder has files of other models."""
    shutil.copytree(ran.folder, bare.folder, symlinks=True, dirs_exist_ok=True)
    done = bare.snakemake(TABLES, **{**TINY, "models": "[oracle]"}, overwrite="true")
    assert done.returncode == 0, done.stdout
    board = rows(bare, "results/tiny/tables/leaderboard.parquet")
    assert {row["model"] for row in board} == {"oracle"}
    assert (bare.folder / "results/tiny/verdicts/oracle-FC.parquet").is_file()


def test_another_config_file_selects_the_entries(project: Project) -> None:
    """--configfile replaces the keys that it contains; ids with `:` and `&` reach the command unchanged."""
    mine = project.folder / "mine.yaml"
    mine.write_text(f"run: mine\nmodels: [oracle]\nentry_ids: [simple_python_3, '{FORMAT_ID}']\n")
    asked = ("simple_python", "format_sensitivity")
    tables = [f"results/mine/responses/oracle/{category}.parquet" for category in asked]
    done = project.snakemake(*tables, "--configfile", "mine.yaml")
    assert done.returncode == 0, done.stdout
    answered = [row["entry_id"] for table in tables for row in rows(project, table)]
    assert answered == ["simple_python_3", FORMAT_ID]


def test_a_model_whose_row_changed_runs_again(ran: Project, bare: Project) -> None:
    """The kind of a model decides its answers; how it is displayed decides the tables only."""
    shutil.copytree(ran.folder, bare.folder, symlinks=True, dirs_exist_ok=True)
    models = bare.folder / "config/models.yaml"
    shipped = models.read_text()
    models.write_text(shipped.replace("Oracle (Prompt)", "The oracle"))
    assert bare.steps(**TINY) == ["Tabulate the verdicts of tiny", "Write the report of tiny"]
    models.write_text(shipped.replace("name: oracle\n", "name: oracle\n    kind: lexical\n"))
    assert bare.steps(**TINY, overwrite="true") == [
        "Generate all categories with oracle",
        "Score oracle",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]


def test_models_of_the_users_files_run(project: Project) -> None:
    """A row of config/my_models.yaml is known without a word; `models_file` names other files instead."""
    row = "models: [{{name: {name}, kind: lexical}}]"
    (project.folder / "config/my_models.yaml").write_text(row.format(name="mine"))
    (project.folder / "team.yaml").write_text(row.format(name="ours"))
    tiny = {**TINY, "categories": "[simple_python]", "sample": "2"}
    answers = "responses/{}/simple_python.parquet"
    done = project.snakemake(f"results/tiny/{answers.format('mine')}", **{**tiny, "models": "[mine]"})
    assert done.returncode == 0, done.stdout
    wanted = (f"results/team/{answers.format('ours')}", "results/team/config.yaml")
    theirs = {**tiny, "run": "team", "models": "[ours]", "models_file": "team.yaml"}
    done = project.snakemake(*wanted, **theirs)
    assert done.returncode == 0, done.stdout
    recorded = (project.folder / "results/team/config.yaml").read_text()
    assert "models_file" not in recorded
    assert "unknown model 'ours'" in project.snakemake("-n", **{**tiny, "models": "[ours]"}).stdout
