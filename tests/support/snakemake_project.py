"""A copy of the workflow in a separate folder, run with Snakemake as a user does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import yaml

from bfcl_pipeline.ask.jobs.checked_run import complete_config, configured_run
from bfcl_pipeline.ask.jobs.options import to_argv
from bfcl_pipeline.ask.orchestration.job_files import job_files
from bfcl_pipeline.benchmark.config import recorded_files
from bfcl_pipeline.cli import main

ROOT = Path(__file__).resolve().parents[2]

OWN_MESSAGES = ("--logger-bfcl-show", "snakemake")
"""Arguments with which Snakemake prints its own messages, for tests that read which steps are started."""
TINY = {
    "run": "tiny",
    "models": "[oracle-FC,oracle]",
    "categories": "[simple_python,irrelevance]",
    "sample": "20",  # 13 of 400 and 7 of 240
}
"""The config of the run that tests of the workflow share (the fixture `ran`)."""


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

    def call(self, tables: bool = True, **config: str) -> None:
        """Makes a run with the commands of the workflow, called in this process: in two seconds, not eight.

        Neither shards nor models that the run serves; no logs, and no records of Snakemake. tables: whether
        its tables and its page are made too, or only responses and verdicts.
        """
        with chdir(self.folder), patch.dict(os.environ):
            values = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
            values |= {key: yaml.safe_load(value) for key, value in config.items()}
            complete_config(values)
            run = configured_run(values)
            results = Path("results", run.name)
            results.mkdir(parents=True)
            for name, text in recorded_files(run).items():
                (results / name).write_text(text, encoding="utf-8")
            for files in map(job_files, run.jobs):
                folders = [f"--out={files.responses_folder}", f"--sessions-out={files.sessions_folder}"]
                keep_going = [] if files.job.recorded else ["--keep-going"]
                _call("generate", *to_argv(files.job), *files.provenance, *folders, *keep_going)
                verdicts = results / f"verdicts/{files.name}.parquet"
                _call("score", *files.responses, "--out", verdicts, "--rules", "all")
            if not tables:
                return
            models, rules = [f"--model={name}" for name in run.models], run.settings.rules
            _call(
                "aggregate",
                results,
                "--models",
                results / "models.yaml",
                "--rules",
                run.settings.rules,
                *models,
            )
            if run.comparisons:
                groups = [word for group in run.comparisons for word in ("--group", *group)]
                sides = [f"{results}:{name}" for group in run.comparisons for name in group]
                tables = [f"--out={results}/tables/comparisons.{form}" for form in ("parquet", "csv")]
                tables += [f"--flips={results}/tables/flips.{form}" for form in ("parquet", "csv")]
                _call("compare", *sides, *groups, "--common", "--rules", rules, *tables)
            _call("report", results, "--rules", rules, "--entries", run.settings.shown)


def _call(*words: object) -> None:
    assert main([*map(str, words)]) == 0, words


def make_project(folder: Path) -> Project:
    """The workflow and its config in `folder`, without any data."""
    shutil.copy(ROOT / "Snakefile", folder / "Snakefile")
    for part in ("workflow", "profiles", "config"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("my_models.yaml"))
    return Project(folder)
