"""The retired categories of V1 in the workflow: beside V4, and in a run that was made before."""

from __future__ import annotations

import pyarrow.parquet as pq

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.cli import main
from tests.support.snakemake_project import Project

ALONE = {"run": "v1", "models": "[oracle-FC,lexical]", "sample": "61"}


def test_a_run_of_the_group_has_its_table_and_no_score_of_v4(project: Project) -> None:
    """The group is generated, scored and reported; its table has scores, the V4 table has none."""
    project.call(**ALONE, categories="executable")
    assert project.steps(**ALONE, categories="executable") == []
    results = project.folder / "results/v1"
    for model in ("oracle-FC", "lexical"):
        found = {path.stem for path in (results / "responses" / model).iterdir()}
        assert found == set(GROUPS["executable"])
    rows = {
        row["model"]: row
        for row in pq.read_table(results / "tables/executable.parquet").to_pylist()
        if row["rules"] == "verified"
    }
    assert rows["oracle-FC"]["exec_summary"] == 1
    assert rows["lexical"]["exec_summary"] < 0.5
    assert {row["web"] for row in rows.values()} == {"simulated"}
    leaderboard = pq.read_table(results / "tables/leaderboard.parquet")
    assert leaderboard["overall"].null_count == len(leaderboard)
    assert "Executable" in (results / "report.html").read_text(encoding="utf-8")


def test_the_group_is_added_to_a_run(project: Project) -> None:
    """A sample of V4 keeps its answers when the group is added, and its tables have the same numbers.

    Data that were staged before the group existed are enough until it is asked for; then they are staged
    again, from the wheel that is there. Staging them again repeats no step of a finished run.
    """
    new = [project.folder / f"data/entries/{category}.parquet" for category in GROUPS["executable"]]
    new.append(project.folder / "data/release/recorded_calls.json")
    for path in new:
        path.unlink()
    few = {**ALONE, "models": "[lexical]", "categories": "[simple_java,irrelevance]", "run": "both"}
    project.call(**few)
    results = project.folder / "results/both"
    assert not any(path.exists() for path in (*new, results / "tables/executable.parquet"))
    before = {path.name: path.read_bytes() for path in (results / "responses/lexical").iterdir()}
    scores = pq.read_table(results / "tables/leaderboard.parquet")

    assert main(["stage", "--data", str(project.folder / "data")]) == 0
    assert all(path.exists() for path in new)
    assert project.steps(**few) == []
    for path in new:
        path.unlink()

    done = project.snakemake(**{**few, "categories": "[simple_java,irrelevance,executable]"})
    assert done.returncode == 0, done.stdout
    after = {path.name: path.read_bytes() for path in (results / "responses/lexical").iterdir()}
    assert before.items() <= after.items()
    assert {name.removesuffix(".parquet") for name in after.keys() - before.keys()} == set(
        GROUPS["executable"]
    )
    again = pq.read_table(results / "tables/leaderboard.parquet")
    assert again.select(["model", "simple_java", "irrelevance"]) == scores.select(
        ["model", "simple_java", "irrelevance"]
    )
    assert all(path.exists() for path in (*new, results / "tables/executable.parquet"))
