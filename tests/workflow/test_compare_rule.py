"""The rule `compare`: what the config compares becomes tables and a section of the page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq

from tests.support.snakemake_project import TINY, Project

TABLES = ("comparisons.parquet", "comparisons.csv", "flips.parquet", "flips.csv")


def test_a_comparison_repeats_no_answer_and_no_verdict(ran: Project, tmp_path: Path) -> None:
    """Added, it makes its tables and the page again; removed, its tables are deleted."""
    project = Project(tmp_path / "project")
    shutil.copytree(ran.folder, project.folder, symlinks=True)
    results = project.folder / "results/tiny"
    answers = _times(results, "responses", "verdicts")
    done = project.snakemake(**TINY, compare="[oracle-FC,oracle]")
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    steps = [line.partition("] ")[2].partition(":")[0] for line in lines]
    assert sorted(step for step in steps if not step.startswith(("All done", "Record"))) == [
        "Compare models of tiny",
        "Tabulate the verdicts of tiny",
        "Write the report of tiny",
    ]
    assert _times(results, "responses", "verdicts") == answers
    rows = pq.read_table(results / "tables/comparisons.parquet").to_pylist()
    assert [(row["first"], row["second"]) for row in rows if row["score"] == "simple_python"] == [
        ("oracle-FC", "oracle")
    ]
    assert all((results / "tables" / name).is_file() for name in TABLES)
    assert 'id="comparisons"' in (results / "report.html").read_text()
    assert project.steps(**TINY, compare="[oracle-FC,oracle]") == []
    done = project.snakemake("results/tiny/config.yaml", **TINY)
    assert done.returncode == 0, done.stdout
    assert not any((results / "tables" / name).exists() for name in TABLES)
    assert project.steps(**TINY) == ["Tabulate the verdicts of tiny", "Write the report of tiny"]


def test_a_wrong_comparison_stops_the_run_at_once(bare: Project) -> None:
    """The error names the key and the models of the run; tests/benchmark/config has the other errors."""
    done = bare.snakemake("-n", **TINY, compare="[oracle-FC,oracel]")
    assert done.returncode != 0
    unknown = "config: compare: unknown model of this run 'oracel'. Did you mean 'oracle'?"
    assert unknown in done.stdout


def _times(results: Path, *folders: str) -> dict[Path, int]:
    files = [path for folder in folders for path in (results / folder).rglob("*.parquet")]
    return {path: path.stat().st_mtime_ns for path in files}
