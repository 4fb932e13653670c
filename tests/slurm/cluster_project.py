"""A project with a workflow that runs on the test cluster, and the same run on this machine for
comparison."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.tables import read_table
from tests.slurm.slurm_cluster import Cluster, QueuedJob
from tests.support.snakemake_project import Project, make_project

SECONDS = 900.0
"""Time limit of a run, far above that of the whole benchmark; a run that exceeds it is ended and its test
fails."""

KEPT = ("responses", "memory", "verdicts", "tables")
_ANSWER = re.compile(r'"chatcmpl-([0-9a-f]+)-(\d+)"')


@dataclass(frozen=True, slots=True)
class ClusterProject:
    """A folder in which Snakemake submits to the cluster."""

    project: Project
    cluster: Cluster

    @property
    def folder(self) -> Path:
        """The folder of all files of the project."""
        return self.project.folder

    @contextmanager
    def started(
        self, *arguments: str, quick: bool = True, **config: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Snakemake with the cluster's profile, started; it is ended with the block."""
        program = [str(Path(__file__).with_name("quick_snakemake.py"))] if quick else ["-m", "snakemake"]
        command = [sys.executable, *program, "--workflow-profile", "slurm"]
        command += [*arguments, "--config", *(f"{key}={value}" for key, value in config.items())]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, **self.cluster.variables, "XDG_CACHE_HOME": str(self.folder / "cache")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def complete(self, *arguments: str, quick: bool = True, **config: str) -> str:
        """Runs to the end, which must be a success; returns the whole output."""
        with self.started(*arguments, quick=quick, **config) as process:
            return finished(process)

    def jobs(self) -> list[QueuedJob]:
        """The jobs of this project in the cluster, the oldest first."""
        return self.cluster.jobs(self.folder)

    def results(self, run: str) -> dict[str, bytes]:
        """Every result file of a run, by its path."""
        return contents(self.folder / "results" / run)

    def responses(self, run: str) -> dict[str, list[dict[str, Any]]]:
        """The rows of every table of responses and sessions, without what only time decides."""
        folder = self.folder / "results" / run
        files = [path for part in ("responses", "memory") for path in (folder / part).rglob("*.parquet")]
        return {
            str(path.relative_to(folder)): [_timeless(row) for row in read_table(path).to_pylist()]
            for path in files
        }

    def derived_here(self, again: Path, **config: str) -> dict[str, bytes]:
        """The results of the same run on this machine, derived from its records without any request."""
        for part in ("workflow", "profiles", "config", "data", "cache"):
            shutil.copytree(self.folder / part, again / part)
        shutil.copy(self.folder / "Snakefile", again)
        recorded = self.folder / "results" / config["run"] / "models.yaml"
        shutil.copy(recorded, again / "config")  # with the digests of the weights, as `replay` does
        (again / "observed").symlink_to(self.folder / "results" / config["run"])
        done = Project(again).snakemake(**config, replay="True")
        assert done.returncode == 0, done.stdout
        return contents(again / "results" / config["run"])

    def journaled(self, model: str) -> Counter[str]:
        """How many answers to each request the model's journals hold, by the request's digest."""
        digests: Counter[str] = Counter()
        numbers: set[str] = set()
        for journal in (self.folder / "cache/exchanges" / model).glob("exchanges*.jsonl"):
            for line in journal.read_text().splitlines():
                json.loads(line)
                for digest, number in _ANSWER.findall(line):
                    digests[digest] += 1
                    numbers.add(number)
        assert len(numbers) == digests.total(), "an answer was journaled twice"
        return digests


def finished(process: subprocess.Popen[str]) -> str:
    """Waits for a run to end successfully; returns all its output."""
    output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, output
    return output


def contents(results: Path) -> dict[str, bytes]:
    """Every result file in a run's folder, by its path."""
    files = [results / "report.html", *(path for part in KEPT for path in (results / part).rglob("*"))]
    return {str(path.relative_to(results)): path.read_bytes() for path in files if path.is_file()}


def different(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The files that are not byte for byte the same in both."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    steps = [{**step, "latency_seconds": None} for step in row["steps"]]
    return {**row, "latency_seconds": None, "steps": steps}


def new_cluster_project(folder: Path, staged: Path, cluster: Cluster) -> ClusterProject:
    """The workflow in `folder`, with the benchmark staged."""
    project = make_project(folder)
    for part in ("release", "entries"):
        shutil.copytree(staged / part, folder / "data" / part)
    return ClusterProject(project, cluster)
