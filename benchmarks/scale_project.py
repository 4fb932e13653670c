"""A project with many models for Snakemake to plan, and to complete quickly with a stand-in for the
pipeline.

The stand-in writes empty files, but Snakemake runs every job of the real rules and writes all its records,
so that to Snakemake the project is complete.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.scale_measure import Taken, taken
from bfcl_pipeline.benchmark.definition import CATEGORIES
from tests.support.snakemake_project import OWN_MESSAGES

ROOT = Path(__file__).resolve().parents[1]

STAND_IN = """#!/bin/sh
# Writes what each command of bfcl-pipeline declares to write, and nothing in it.
make() { for file; do mkdir -p "${file%/*}"; : > "$file"; done; }
command=$1; shift
case $command in
stage)
  case "$*" in
  *--encoder*) make data/encoder/model.safetensors ;;
  *) make data/release/texts.json data/release/models.json
     for name in @CATEGORIES@; do make "data/entries/$name.parquet"; done ;;
  esac ;;
generate)
  while [ $# -gt 0 ]; do
    option=$1; shift
    case $option in
    --category) names=; while [ $# -gt 0 ] && [ "${1#--}" = "$1" ]; do names="$names $1"; shift; done ;;
    --out) answers=$1; shift ;;
    --sessions-out) sessions=$1; shift ;;
    esac
  done
  for name in $names; do
    make "$answers/$name.parquet"
    case $name in memory_*) make "$sessions/$name.parquet" ;; esac
  done ;;
score)
  while [ "$1" != --out ]; do shift; done
  make "$2" ;;
aggregate)
  for name in categories coverage error_types formats intervals leaderboard rules usage; do
    make "$1/tables/$name.parquet" "$1/tables/$name.csv"
  done
  for name in overall non_live live multi_turn agentic format_sensitivity; do
    make "$1/tables/official/data_$name.csv"
  done ;;
report) make "$1/report.html" ;;
*) echo "$command: unknown to the stand-in" >&2; exit 1 ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with the workflow, and the config of a run of many models."""

    folder: Path

    def planned(self) -> tuple[Taken, int]:
        """The cost of `snakemake -n`, and the number of jobs that it plans."""
        log = self.folder / "planned.txt"
        took = taken(self._command("-n", *OWN_MESSAGES), self.folder, self._environment, log)
        said = log.read_text(encoding="utf-8")
        jobs = sum(line.startswith(("Job ", "localrule")) for line in said.splitlines())
        assert jobs or "Nothing to be done" in said, said[-2000:]
        return took, jobs

    def complete(self) -> Taken:
        """Runs every job with Snakemake, with the stand-in in place of the pipeline."""
        stand_in = self.folder / "stand_in" / "bfcl-pipeline"
        stand_in.parent.mkdir()
        stand_in.write_text(STAND_IN.replace("@CATEGORIES@", " ".join(CATEGORIES)), encoding="utf-8")
        stand_in.chmod(0o755)
        environment = {**self._environment, "PATH": f"{stand_in.parent}:{os.environ['PATH']}"}
        return taken(self._command(), self.folder, environment, self.folder / "completed.txt", least=0.5)

    @property
    def _environment(self) -> dict[str, str]:
        return {"XDG_CACHE_HOME": str(self.folder / "xdg")}

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]


def make_project(folder: Path, models: int, kind: str) -> Project:
    """Creates a project with that many models of a kind in prompt mode, each with all 23 categories."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "Snakefile", folder / "Snakefile")
    shutil.copytree(ROOT / "workflow", folder / "workflow")
    shutil.copytree(ROOT / "profiles", folder / "profiles")
    shutil.copytree(ROOT / "config", folder / "config")
    names = [f"model-{number:03d}" for number in range(models)]
    rows = [{"name": name, "kind": kind} for name in names]
    (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}), encoding="utf-8")
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    config |= {"run": "scale", "models": names, "categories": ["all"]}
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Project(folder)
