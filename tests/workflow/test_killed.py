"""A run that is killed, again and again, ends as one that was left alone.

BFCL_KILLS is how often it is killed: 4 unless told.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from snakemake_project import Project, make_project

KILLS = int(os.environ.get("BFCL_KILLS", "4"))
SMALL = {
    "run": "small",
    "models": "[oracle-FC,lexical]",
    "categories": "[simple_python,multi_turn_base,memory_kv,memory_rec_sum,web_search_base]",
    "sample": "40",
}
STEPS = 2 * 5 + 2 + 2  # answers of each model to each category, verdicts of each model, tables, report
START_SECONDS = 2.0  # about what Snakemake takes to plan
STEP_SECONDS = 1.0  # about what a step takes
KEPT = ("responses", "memory", "verdicts", "tables")


@pytest.fixture(scope="module")
def new_project(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Callable[[], Project]:
    """Makes a project with the benchmark staged, before any run."""

    def make() -> Project:
        project = make_project(tmp_path_factory.mktemp("killed"))
        shutil.copytree(staged / "release", project.folder / "data/release")
        shutil.copytree(staged / "entries", project.folder / "data/entries")
        return project

    return make


@pytest.fixture(scope="module")
def undisturbed(new_project: Callable[[], Project]) -> dict[str, bytes]:
    """What a run leaves that was never killed."""
    project = new_project()
    done = project.snakemake(**SMALL)
    assert done.returncode == 0, done.stdout
    left = contents(project)
    assert {Path(name).parts[0] for name in left} == {*KEPT, "report.html"}
    return left


def contents(project: Project) -> dict[str, bytes]:
    """Every file of the run that says what came out, hidden ones included, by its path."""
    results = project.folder / "results/small"
    files = [results / "report.html", *(path for folder in KEPT for path in (results / folder).rglob("*"))]
    return {str(path.relative_to(results)): path.read_bytes() for path in files if path.is_file()}


def temporary_files(project: Project) -> list[Path]:
    """What is hidden or named as unfinished, anywhere in the project but in Snakemake's own folder."""
    inside = [path.relative_to(project.folder) for path in project.folder.rglob("*")]
    return [path for path in inside if path.parts[0] != ".snakemake" and path.name.startswith(".")]


def follow(process: subprocess.Popen[str], steps: int) -> list[str]:
    """What Snakemake says until it has started that many steps, or ended."""
    told: list[str] = []
    assert process.stdout is not None
    too_long = threading.Timer(120, os.killpg, (process.pid, signal.SIGKILL))
    too_long.start()
    while steps and (line := process.stdout.readline()):
        told.append(line)
        steps -= line.startswith("Job ")
    too_long.cancel()
    return told


def killed_at_random(project: Project, rng: random.Random) -> bool:
    """Whether a run was killed at a moment drawn from all that is left to do; it may be done before."""
    results = project.folder / "results/small"
    done = [
        *results.glob("responses/*/*"),
        *results.glob("verdicts/*"),
        *results.glob("tables/leaderboard.csv"),
    ]
    steps = rng.randint(0, STEPS - len(done))
    with project.start(**SMALL) as process:
        told = follow(process, steps)
        try:
            process.wait(timeout=rng.uniform(0, STEP_SECONDS if steps else START_SECONDS))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True
    assert process.returncode == 0, "".join(told)
    return False


def test_a_run_killed_at_random_moments_ends_as_an_undisturbed_one(
    new_project: Callable[[], Project], undisturbed: dict[str, bytes]
) -> None:
    """The same command goes on from where it was: the same bytes in every file, and no temporary ones."""
    rng = random.Random(20260)
    killed = 0
    for run in count(1):
        project = new_project()
        while killed < KILLS and killed_at_random(project, rng):
            killed += 1
        done = project.snakemake(**SMALL)
        assert done.returncode == 0, done.stdout
        left = contents(project)
        assert left.keys() == undisturbed.keys()
        assert [name for name in left if left[name] != undisturbed[name]] == []
        assert temporary_files(project) == []
        if killed == KILLS:
            print(f"{killed} kills in {run} runs, {len(left)} files the same after each")
            return


def test_steps_that_outlive_their_run_do_no_harm(
    new_project: Callable[[], Project], undisturbed: dict[str, bytes]
) -> None:
    """Where only Snakemake is killed, its steps go on beside those of the next run: the same files."""
    project = new_project()
    with project.start(**SMALL) as process:
        follow(process, 2)
        process.kill()
    done = project.snakemake(**SMALL)
    assert done.returncode == 0, done.stdout
    assert contents(project) == undisturbed


def test_a_second_run_beside_one_that_goes_on_is_refused(
    new_project: Callable[[], Project], undisturbed: dict[str, bytes]
) -> None:
    """It is told so before its first step, and the first run is not disturbed; planning is allowed."""
    project = new_project()
    with project.start(**SMALL) as first:
        told = follow(first, 1)
        os.killpg(first.pid, signal.SIGSTOP)  # alive, and not done before the others come
        try:
            planned = project.steps(**SMALL)
            second = project.snakemake(**SMALL)
        finally:
            os.killpg(first.pid, signal.SIGCONT)
        rest, _ = first.communicate(timeout=120)
    assert "Judge lexical" in planned
    assert second.returncode == 1
    assert "Directory cannot be locked" in second.stdout
    assert "Job " not in second.stdout
    assert first.returncode == 0, "".join([*told, rest])
    assert contents(project) == undisturbed
