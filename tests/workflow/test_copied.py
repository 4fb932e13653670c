"""A finished run that was copied to a fresh clone, without Snakemake's own records, can be added to."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.snakemake_project import Project, make_project

BEFORE = {"run": "r", "models": "[lexical-FC]", "categories": "[simple_java,memory_kv]", "sample": "6"}
MORE = {**BEFORE, "models": "[lexical-FC,oracle-FC]"}
TABLES = ["Tabulate the verdicts of r", "Write the report of r"]
STAGE = "Stage the release"


def contents(folder: Path) -> dict[str, bytes]:
    """The results of the run, without what differs from time to time."""
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file() and path.suffix != ".html"]
    names = [str(path.relative_to(folder)) for path in files]
    return {
        name: path.read_bytes()
        for name, path in zip(names, files, strict=True)
        if not name.startswith(("logs/", "benchmarks/")) and not path.name.startswith(".")
    }


def of(model: str) -> list[str]:
    return [f"Generate all categories with {model}", f"Score {model}"]


@pytest.fixture
def copied(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A fresh clone with the results of a finished run, and nothing else of its machine."""
    project.call(**BEFORE)
    clone = make_project(tmp_path_factory.mktemp("clone"))
    shutil.copytree(project.folder / "results", clone.folder / "results")
    return clone


def test_only_what_is_missing_is_done(copied: Project, project: Project) -> None:
    """Of another model, a larger sample, other rules; the results are those of a run made at once."""
    assert copied.steps(**BEFORE) == []
    assert copied.steps(**BEFORE, rules="corrected") == [STAGE, *TABLES]
    assert copied.steps(**MORE) == sorted([STAGE, *of("oracle-FC"), *TABLES])
    assert copied.steps("data/release/texts.json", **BEFORE, rules="corrected") == [STAGE]
    times = {path: path.stat().st_mtime for path in copied.folder.glob("results/r/**/*.*")}
    for number, path in enumerate(sorted(times)):
        os.utime(path, (number, number))  # as after a copy without times
    assert not [step for step in copied.steps(**BEFORE) if step.startswith("Generate")]
    for path, seconds in times.items():
        os.utime(path, (seconds, seconds))

    for name in ("release", "entries"):  # staged now, so later than the results
        shutil.copytree(project.folder / "data" / name, copied.folder / "data" / name)
    assert copied.steps(**BEFORE) == []
    asked = {**MORE, "sample": "9", "rules": "corrected"}
    done = copied.snakemake(**asked)
    assert done.returncode == 0, done.stdout
    steps = [
        line.partition("] ")[2].partition(":")[0] for line in done.stdout.splitlines() if "[" in line[:1]
    ]
    assert sorted(step for step in steps if not step.startswith(("All done", "Record"))) == sorted(
        [*of("oracle-FC"), *of("lexical-FC"), *TABLES]
    )
    assert copied.steps(**asked) == []

    shutil.rmtree(project.folder / "results")
    project.call(**asked)
    assert contents(copied.folder / "results/r") == contents(project.folder / "results/r")
