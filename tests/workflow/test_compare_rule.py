"""The rule `compare`: what the config compares becomes tables and a section of the page."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.snakemake_project import Project

TINY = {
    "run": "tiny",
    "models": "[oracle-FC,lexical-FC]",
    "categories": "[simple_python]",
    "sample": "10",
}
TABLES = ("comparisons.parquet", "comparisons.csv", "flips.parquet", "flips.csv")


def test_a_comparison_repeats_no_answer_and_no_verdict(project: Project) -> None:
    """Added, it makes its tables and the page again; removed, its tables are deleted."""
    done = project.snakemake(**TINY)
    assert done.returncode == 0, done.stdout
    results = project.folder / "results/tiny"
    answers = _times(results, "responses", "verdicts")
    steps = project.steps(**TINY, compare="[oracle-FC,lexical-FC]")
    assert steps == ["Compare models of tiny", "Tabulate the verdicts of tiny", "Write the report of tiny"]
    done = project.snakemake(**TINY, compare="[oracle-FC,lexical-FC]")
    assert done.returncode == 0, done.stdout
    assert _times(results, "responses", "verdicts") == answers
    rows = pq.read_table(results / "tables/comparisons.parquet").to_pylist()
    assert [(row["first"], row["second"]) for row in rows if row["score"] == "simple_python"] == [
        ("oracle-FC", "lexical-FC")
    ]
    assert all((results / "tables" / name).is_file() for name in TABLES)
    assert 'id="comparisons"' in (results / "report.html").read_text()
    assert project.steps(**TINY, compare="[oracle-FC,lexical-FC]") == []
    done = project.snakemake(**TINY)
    assert done.returncode == 0, done.stdout
    assert not any((results / "tables" / name).exists() for name in TABLES)
    assert 'id="comparisons"' not in (results / "report.html").read_text()


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        (
            "[oracle-FC,oracle]",
            "config: compare: unknown model of this run 'oracle'. Did you mean 'oracle-FC'?",
        ),
        ("[[oracle-FC]]", "config: compare.0: expected a list of at least 2"),
        ("3", "config: compare: expected a list (a,b) or null, got 3"),
    ],
)
def test_a_wrong_comparison_stops_the_run_at_once(bare: Project, compare: str, message: str) -> None:
    """The error names the key and the models of the run."""
    done = bare.snakemake("-n", **TINY, compare=compare)
    assert done.returncode != 0
    assert message in done.stdout


def _times(results: Path, *folders: str) -> dict[Path, int]:
    files = [path for folder in folders for path in (results / folder).rglob("*.parquet")]
    return {path: path.stat().st_mtime_ns for path in files}
