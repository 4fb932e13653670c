"""The experiments that are shipped as configs, each used as a user does: `--configfile`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from bfcl_pipeline.ask.jobs.options import to_argv
from bfcl_pipeline.benchmark.config import RunConfig, load_models, load_run
from bfcl_pipeline.benchmark.config.check import check_config
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.cli import main
from tests.support.snakemake_project import OWN_MESSAGES, Project

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = "workflow/schemas/config.schema.yaml"
EXPERIMENTS = {path.stem: path for path in sorted((ROOT / "config/experiments").iterdir())}


def run_of(name: str, **changes: Any) -> RunConfig:
    """The run of an experiment with changes, from the shipped config, as the Snakefile reads it."""
    mine = yaml.safe_load(EXPERIMENTS[name].read_text())
    config = {**yaml.safe_load((ROOT / "config/config.yaml").read_text()), **mine, **changes}
    check_config(config, yaml.safe_load((ROOT / SCHEMA).read_text()))
    return load_run(config, load_models(ROOT / "config/models.yaml"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_its_own_run(name: str) -> None:
    """The file passes the schema; its run has its name and runs both models on web categories."""
    text = EXPERIMENTS[name].read_text()
    assert text.startswith("# ")
    assert "?" in text.splitlines()[0]
    run = run_of(name)
    assert run.name == name
    assert run.folders == ("oracle-FC", "lexical-FC")
    assert set(run.categories) == set(yaml.safe_load(text)["categories"])
    assert set(run.categories) <= set(GROUPS["web_search"])


def test_every_experiment_is_explained() -> None:
    """config/README.md has exactly one row for each file."""
    readme = (ROOT / "config/README.md").read_text()
    section = readme.partition("\n## Experiments\n")[2].partition("\n## ")[0]
    rows = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(rows) == [f"{name}.yaml" for name in EXPERIMENTS]


def valid(verdicts: Path) -> list[bool]:
    """Verdicts, but for verified ones: there the oracle, which answers as the release does, fails mended
    entries."""
    rows = pq.read_table(verdicts, columns=["rules", "valid"]).to_pylist()
    return [row["valid"] for row in rows if row["rules"] != "verified"]


@pytest.mark.parametrize(
    ("name", "knows"),
    [("no_snippet", True), ("blog_tool_name", True), ("tools_off", False), ("fetch_failures_100", False)],
)
def test_the_oracle_answers_web_questions_only_from_pages(
    bare: Project, staged: Path, monkeypatch: pytest.MonkeyPatch, name: str, knows: bool
) -> None:
    """It is right exactly where pages can be read. The commands are those of the workflow's rules."""
    (bare.folder / "data").symlink_to(staged)
    monkeypatch.chdir(bare.folder)
    (job,) = run_of(name, models=["oracle-FC"], sample=5).jobs
    assert main(["generate", *to_argv(job), "--out=answers", "--sessions-out=memory"]) == 0
    answers = map(str, sorted(Path("answers").iterdir()))
    command = ["score", *answers, "--out", "verdicts.parquet", "--data", "data", "--rules", "all"]
    assert main(command) == 0
    assert valid(Path("verdicts.parquet")) == [knows] * 5 * 2


def test_the_file_of_an_experiment_reaches_the_commands(bare: Project) -> None:
    """The workflow calls the command of the test above, with the option of the experiment."""
    file = str(EXPERIMENTS["fetch_failures_100"].relative_to(ROOT))
    asked = ("--configfile", file, "-n", "-p", *OWN_MESSAGES)
    planned = bare.snakemake(*asked, run="mine", models="[oracle-FC]")
    (job,) = run_of("fetch_failures_100", run="mine", models=["oracle-FC"]).jobs
    assert "--fetch-failures=1" in to_argv(job)
    assert shlex.join(["bfcl-pipeline", "generate", *to_argv(job)]) in planned.stdout
