"""The experiments that are shipped as configs, each used as a user does: `--configfile`."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from bfcl_pipeline.benchmark import GROUPS
from tests.support.snakemake_project import Project

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = {path.stem: path for path in sorted((ROOT / "config/experiments").iterdir())}


def config_file(name: str) -> str:
    """The experiment's file, as it is named inside a project."""
    return str(EXPERIMENTS[name].relative_to(ROOT))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_plans_its_own_run(bare: Project, name: str) -> None:
    """The file passes the schema; its run has its name and runs both models on web categories."""
    text = EXPERIMENTS[name].read_text()
    assert text.startswith("# ")
    assert "?" in text.splitlines()[0]
    assert set(yaml.safe_load(text)["categories"]) <= set(GROUPS["web_search"])
    assert bare.steps("--configfile", config_file(name)) == [
        "Generate all categories with lexical-FC",
        "Generate all categories with oracle-FC",
        "Score lexical-FC",
        "Score oracle-FC",
        "Stage the release",
        f"Tabulate the verdicts of {name}",
        f"Write the report of {name}",
    ]


def test_every_experiment_is_explained() -> None:
    """config/README.md has exactly one row for each file."""
    readme = (ROOT / "config/README.md").read_text()
    section = readme.partition("\n## Experiments\n")[2].partition("\n## ")[0]
    rows = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(rows) == [f"{name}.yaml" for name in EXPERIMENTS]


@pytest.mark.parametrize(
    ("name", "knows"),
    [("no_snippet", True), ("blog_tool_name", True), ("fetch_failures_100", False), ("tools_off", False)],
)
def test_the_oracle_answers_web_questions_only_from_pages(project: Project, name: str, knows: bool) -> None:
    """It answers from fetched pages only: it is right exactly where pages can be read."""
    verdicts = "results/mine/verdicts/oracle-FC.parquet"
    arguments = (verdicts, "--configfile", config_file(name))
    done = project.snakemake(*arguments, run="mine", models="[oracle-FC]", sample="5")
    assert done.returncode == 0, done.stdout
    rows = pq.read_table(project.folder / verdicts, columns=["rules", "valid"]).to_pylist()
    # Under verified rules the oracle fails mended entries: its answers are those of the release.
    assert [row["valid"] for row in rows if row["rules"] != "verified"] == [knows] * 5 * 2
