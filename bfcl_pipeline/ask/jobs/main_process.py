"""What Snakemake's main process does for a run: checks before it plans, the start, tables after a failure.

Single jobs of a group or on a cluster have processes of Snakemake as well, which do not import this module.
"""

import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, effort, searches_text
from bfcl_pipeline.ask.jobs.preflight import Machine, journaled_lines, preflight
from bfcl_pipeline.ask.orchestration.cluster_queue import end_orphaned_jobs, watch_stuck_jobs
from bfcl_pipeline.ask.orchestration.finished_results import check_recorded
from bfcl_pipeline.ask.orchestration.interrupted_run import ActiveRun, clear_interrupted_runs
from bfcl_pipeline.ask.orchestration.job_files import staged_files
from bfcl_pipeline.ask.orchestration.outdated_results import OutdatedResults, outdated_results, repeat_steps
from bfcl_pipeline.ask.orchestration.shared_folder import share_locks, stage_alone
from bfcl_pipeline.ask.orchestration.slurm_cluster import SlurmLimits, check_slurm, slurm_named
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.runs.run import Run

DATA, RESULTS = Path("data"), Path("results")
STATE = Path(".snakemake")
"""Snakemake's directory."""

_DRY_RUN = frozenset({"-n", "-np", "--dry-run", "--dryrun"})


class Workflow(Protocol):
    """What is used of Snakemake's workflow."""

    basedir: str  # the folder of the Snakefile
    executor_plugin: Any  # known after the Snakefile was read; its name is that of the executor
    resource_settings: Any
    deployment_settings: Any

    @property
    def is_main_process(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class MainProcess:
    """The run of this process, from its checks to its end."""

    run: RunConfig
    slurm: SlurmLimits
    outdated: OutdatedResults
    active: ActiveRun | None  # None: files cannot be created in Snakemake's directory

    def start(self, *, touch: bool) -> None:
        """Prepares the first step. Not for a dry run, which starts nothing and cancels nothing.

        Ends the process with a line if the cluster cannot run the jobs, or jobs of an earlier run remain.

        Args:
            touch: whether Snakemake only renews the times of files.
        """
        try:
            if self.slurm.used:
                self.slurm.check(job.row for job in self.run.jobs)
                watch_stuck_jobs(Path.cwd(), print_line)
            if not touch:
                for path in self.outdated.replaced:
                    path.unlink(missing_ok=True)
            if self.active and self.active.alone:
                end_orphaned_jobs(Path.cwd(), print_line)
        except ConfigError as error:
            sys.exit(str(error))

    def tabulate_complete(self) -> None:
        """Makes and reports the tables of the models that are complete, after a step of another failed."""
        print_line(tabulate_scored(Run(RESULTS / self.run.name), self.run))


def prepare_run(
    run: RunConfig, slurm: SlurmLimits, workflow: Workflow, arguments: Sequence[str]
) -> MainProcess:
    """Checks a run against its results and this machine, and claims the working directory for it.

    Args:
        run: the run.
        slurm: what the cluster offers.
        workflow: of Snakemake.
        arguments: Snakemake's command line.

    Raises:
        ConfigError, ErrataError: as `check_results`.
        LeaseError: another run stages the data, and its lock file cannot be read.
    """
    outdated = check_results(run, workflow, arguments)
    repeat_steps(outdated.outputs)
    stages = not is_dry_run(arguments) and not run.settings.replay
    return MainProcess(run, slurm, outdated, claim_folder(run, stages=stages))


def check_results(run: RunConfig, workflow: Workflow, arguments: Sequence[str]) -> OutdatedResults:
    """Checks what a run has and needs, and prints what is to be expected of it.

    Args:
        run: the run.
        workflow: of Snakemake.
        arguments: Snakemake's command line.

    Returns:
        What of its results has to be made again.

    Raises:
        ConfigError: the run would replace results, or cannot start on this machine.
        ErrataError: a file of the user's own errata is wrong.
    """
    if run.errata:
        from bfcl_pipeline.judge.own_errata import check_files  # loads pyarrow

        check_files(run.errata, DATA)
    if run.settings.replay:
        return OutdatedResults()
    made = Run(RESULTS / run.name)
    check_recorded(made, run)
    outdated = outdated_results(made, run)
    if slurm_named(arguments, [Path(), Path(workflow.basedir)]):
        check_slurm()
    if run.settings.entry_ids:
        from bfcl_pipeline.ask.jobs.selection import check_entry_ids  # loads pyarrow

        check_entry_ids(run, DATA)
    machine = Machine(
        cluster=workflow.resource_settings.nodes is not None,
        containers=bool(workflow.deployment_settings.deployment_method),
    )
    for line in [*preflight(run, outdated.complete, machine), *journaled_lines(run, outdated.complete)]:
        print_line(line)
    if is_dry_run(arguments):
        for line in planned_work(run, outdated.complete):
            print_line(line)
    return outdated


def is_dry_run(arguments: Sequence[str]) -> bool:
    """Whether a call of Snakemake only lists steps."""
    return not _DRY_RUN.isdisjoint(arguments)


def claim_folder(run: RunConfig, *, stages: bool) -> ActiveRun | None:
    """Registers the run in the working directory until this process ends, and clears what killed runs left.

    After a run was killed, the same command continues it, without --unlock.

    Args:
        run: the run.
        stages: whether it stages data that are missing; it then waits while another run stages them.

    Returns:
        The active run; None if files cannot be created in Snakemake's directory.
    """
    active = clear_interrupted_runs(STATE, [DATA, RESULTS], run.name)
    if active:
        share_locks(STATE, run.name)
        if stages:
            stage_alone(STATE, run.name, staged_files(run))
    return active


def print_line(line: str) -> None:
    """Prints a line to standard error, where Snakemake prints as well."""
    print(line, file=sys.stderr)


def planned_work(run: RunConfig, complete: Collection[str]) -> list[str]:
    """Lines on the models of `run` that have no complete results yet.

    complete: the directory names of models with complete results.
    """
    models: dict[str, list[str]] = {}
    for folder in run.folders:
        if folder not in complete:
            models.setdefault(_work(run, folder), []).append(run.job_of(folder).name)
    return [f"{', '.join(names)}: {work}" for work, names in models.items()]


def _work(run: RunConfig, folder: str) -> str:
    """What a model, trial of it included, is asked by its jobs."""
    jobs = run.jobs_of(folder)
    job = jobs[0]
    entries = {name: one.selection.size_of(name) for one in jobs for name in one.categories}
    work = plural(sum(entries.values()), "entry", "entries")
    if job.recorded:
        return f"{work}, taken from results"
    needed = effort(entries, PUBLISHED, job.row)
    if not job.embedded:
        work += f", {needed}"
    if needed.searches and job.web.mode in NETWORK_MODES:
        recorded = ", less what is recorded" if job.web.mode == "record" else ""
        work += f"; {searches_text(needed.searches, job.web)} (one of each for a hop{recorded})"
    return work


_LONG_AGO = 1.0
"""Unix time of the files: older than everything they are made from, so that they are made again."""


def scored_models(made: Run, run: RunConfig) -> list[str]:
    """The names of the models of `run` whose responses are all there and scored."""
    return [run.job_of(name).name for name in run.folders if _is_scored(made, run, name)]


def _is_scored(made: Run, run: RunConfig, name: str) -> bool:
    responses = [made.responses(name, category) for category in run.categories_of(name)]
    verdicts = made.verdicts(name)
    return (
        verdicts.is_file()
        and all(path.is_file() for path in responses)
        and verdicts.stat().st_mtime_ns >= max(path.stat().st_mtime_ns for path in responses)
    )


def tabulate_scored(made: Run, run: RunConfig) -> str:
    """Makes the tables and the report of the scored models of `run`, if others are missing.

    Returns a line on the result; empty if nothing was made.
    """
    complete, folder = scored_models(made, run), made.folder
    missing = [name for name in run.models if name not in complete]
    if not complete or not missing or not made.models_file.is_file():
        return ""
    options = [f"--rules={run.settings.rules}", f"--models={made.models_file}"]
    options += [*(f"--model={name}" for name in complete), *(f"--missing={name}" for name in missing)]
    page = ["report", str(folder), f"--rules={run.settings.rules}", f"--entries={run.settings.shown}"]
    for command in (["aggregate", str(folder), *options], page):
        program = [sys.executable, "-m", "bfcl_pipeline.cli", *command]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"No tables of the other models: {done.stderr.strip()}"
    for path in [*(folder / "tables").rglob("*.*"), folder / "report.html"]:
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    return f"The tables and the report have all models but {', '.join(missing)}, which did not finish."
