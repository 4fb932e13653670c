"""A copy of the workflow in a separate folder, run with Snakemake as a user does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

OWN_MESSAGES = ("--logger-bfcl-show", "snakemake")
"""Arguments with which Snakemake prints its own messages, for tests that read which steps are started."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder in which Snakemake is run as a user runs it."""

    folder: Path

    def start(self, *arguments: str, **config: str) -> subprocess.Popen[str]:
        """Starts Snakemake with `config` as --config; standard error is merged into `stdout`.

        The process leads a process group that contains all its steps.
        """
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        if config:
            command += ["--config", *(f"{key}={value}" for key, value in config.items())]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def snakemake(self, *arguments: str, **config: str) -> subprocess.CompletedProcess[str]:
        """Runs Snakemake to its end; the whole output is in `stdout`."""
        with self.start(*arguments, **config) as process:
            try:
                told, _ = process.communicate(timeout=900)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, told)

    def steps(self, *arguments: str, **config: str) -> list[str]:
        """What Snakemake would do, as the messages of its steps, sorted; without the keeping of records."""
        planned = self.snakemake("-n", *OWN_MESSAGES, *arguments, **config)
        assert planned.returncode == 0, planned.stdout
        lines = [line.strip().partition(": ") for line in planned.stdout.splitlines()]
        steps = [text for label, _, text in lines if re.fullmatch(r"Job \d+", label)]
        return sorted(step for step in steps if not step.startswith(("All done", "Record the config")))


def make_project(folder: Path) -> Project:
    """The workflow and its config in `folder`, without any data."""
    shutil.copy(ROOT / "Snakefile", folder / "Snakefile")
    for part in ("workflow", "profiles", "config"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("my_models.yaml"))
    return Project(folder)
