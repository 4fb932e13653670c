"""A run that is killed again and again ends with the files of an undisturbed run.

BFCL_KILLS is the number of kills at random moments: 2 by default.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.support.snakemake_project import OWN_MESSAGES, Project, make_project

KILLS = int(os.environ.get("BFCL_KILLS", "2"))
SMALL = {
    "run": "small",
    "models": "[oracle-FC,lexical]",
    "categories": "[simple_python,multi_turn_base,memory_kv,memory_rec_sum,web_search_base]",
    "sample": "20",
}
STEPS = 2 + 2 + 2  # answers and verdicts of each model, tables, report
START_SECONDS = 2.0  # approximate time of Snakemake's planning
STEP_SECONDS = 1.0  # approximate time of a step
KEPT = ("responses", "memory", "verdicts", "tables")


@pytest.fixture(scope="module")
def new_project(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Callable[[], Project]:
    """Creates a project with the staged benchmark, before any run."""

    def make() -> Project:
        project = make_project(tmp_path_factory.mktemp("killed"))
        (project.folder / "data").symlink_to(staged)
        return project

    return make


@pytest.fixture(scope="module")
def undisturbed(new_project: Callable[[], Project]) -> dict[str, bytes]:
    """The files of a run that was never killed."""
    project = new_project()
    project.call(**SMALL)
    left = contents(project)
    assert {Path(name).parts[0] for name in left} == {*KEPT, "report.html"}
    return left


def contents(project: Project) -> dict[str, bytes]:
    """Every result file of the run, including hidden ones, by its path."""
    results = project.folder / "results/small"
    files = [results / "report.html", *(path for folder in KEPT for path in (results / folder).rglob("*"))]
    return {str(path.relative_to(results)): path.read_bytes() for path in files if path.is_file()}


def temporary_files(project: Project) -> list[Path]:
    """Hidden files and temporary files in the project, but for those of Snakemake."""
    inside = [path.relative_to(project.folder) for path in project.folder.rglob("*")]
    return [
        path
        for path in inside
        if path.name.startswith(".") and not any(part.startswith(".snakemake") for part in path.parts)
    ]


def follow(process: subprocess.Popen[str], steps: int) -> list[str]:
    """Snakemake's output until it has started that many steps, or ended."""
    lines: list[str] = []
    assert process.stdout is not None
    too_long = threading.Timer(120, os.killpg, (process.pid, signal.SIGKILL))
    too_long.start()
    while steps and (line := process.stdout.readline()):
        lines.append(line)
        steps -= line.startswith("Job ")
    too_long.cancel()
    return lines


def only_snakemake_killed(project: Project) -> None:
    """Starts a run and kills Snakemake alone: the steps that it started go on."""
    with project.start(*OWN_MESSAGES, **SMALL) as process:
        follow(process, 2)
        process.kill()


def killed_at_random(project: Project, rng: random.Random) -> bool:
    """Whether a run was killed at a moment drawn from all that is left to do; it may be done before."""
    results = project.folder / "results/small"
    done = [
        *results.glob("responses/*"),
        *results.glob("verdicts/*"),
        *results.glob("tables/leaderboard.csv"),
    ]
    steps = rng.randint(0, STEPS - len(done))
    with project.start(*OWN_MESSAGES, **SMALL) as process:
        lines = follow(process, steps)
        try:
            process.wait(timeout=rng.uniform(0, STEP_SECONDS if steps else START_SECONDS))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True
    assert process.returncode == 0, "".join(lines)
    return False


def test_a_run_killed_again_and_again_ends_as_an_undisturbed_one(
    new_project: Callable[[], Project], undisturbed: dict[str, bytes]
) -> None:
    """The same command continues the run: every file has the same bytes, and no temporary file is left.

    Where only Snakemake is killed, at first, its steps go on beside those of the next run.
    """
    rng = random.Random(20260)
    killed = 0
    for run in count(1):
        project = new_project()
        if run == 1:
            only_snakemake_killed(project)
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


def test_a_second_run_beside_an_active_one_is_refused(
    new_project: Callable[[], Project], undisturbed: dict[str, bytes]
) -> None:
    """It stops before its first step and does not disturb the first run; planning is allowed."""
    project = new_project()
    verdicts = [f"results/small/verdicts/{name}.parquet" for name in ("oracle-FC", "lexical")]
    with project.start(*OWN_MESSAGES, *verdicts, **SMALL) as first:
        lines = follow(first, 1)
        os.killpg(first.pid, signal.SIGSTOP)  # alive, and unfinished when the other runs start
        try:
            planned = project.steps(**SMALL)
            second = project.snakemake(**SMALL)
        finally:
            os.killpg(first.pid, signal.SIGCONT)
        rest, _ = first.communicate(timeout=900)
    assert "Score lexical" in planned
    assert second.returncode == 1
    assert "results/small: is running (process " in second.stdout
    assert "[1/" not in second.stdout
    assert first.returncode == 0, "".join([*lines, rest])
    assert {name: undisturbed[name] for name in contents(project)} == contents(project)
    assert all((project.folder / path).is_file() for path in verdicts)
