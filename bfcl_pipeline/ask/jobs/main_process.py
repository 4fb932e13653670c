"""What Snakemake's main process does for a run: checks before it plans, the start, tables after a failure.

Single jobs of a group or on a cluster have processes of Snakemake as well, which do not import this module.
"""

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.jobs.checked_config import Workflow, print_line
from bfcl_pipeline.ask.jobs.preflight import Machine, journaled_lines, preflight
from bfcl_pipeline.ask.jobs.selection import choose_entries
from bfcl_pipeline.ask.jobs.web_effort import effort_text
from bfcl_pipeline.ask.orchestration.finished_results import check_recorded
from bfcl_pipeline.ask.orchestration.interrupted_run import ActiveRun, clear_interrupted_runs
from bfcl_pipeline.ask.orchestration.job_files import staged_files
from bfcl_pipeline.ask.orchestration.orphaned_jobs import end_orphaned_jobs
from bfcl_pipeline.ask.orchestration.outdated_results import OutdatedResults, outdated_results, repeat_steps
from bfcl_pipeline.ask.orchestration.partial_tables import tabulate_scored
from bfcl_pipeline.ask.orchestration.pending_jobs import watch_pending_jobs
from bfcl_pipeline.ask.orchestration.shared_folder import share_locks, stage_alone
from bfcl_pipeline.ask.orchestration.slurm_cluster import SlurmLimits, check_slurm, slurm_named
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import Job, RunConfig
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.tables import entries_path, read_table
from bfcl_pipeline.runs.run import Run

_COLUMNS = ("entry_id", "category", "depends_on", "prerequisite", "turns_json", "source_json")


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """One entry of the benchmark, without its content."""

    entry_id: str
    category: str
    depends_on: Sequence[str]  # sessions to be run before it
    prerequisite: bool  # whether it is a session
    turns: int  # number of its turns
    hops: int  # from a web question to its answer; of other entries 0


def planned_work(run: RunConfig, complete: Collection[str], data: Path) -> list[str]:
    """Lines on the models of `run` that have no complete results yet; none before the release is staged.

    complete: the directory names of models with complete results. data: the staged benchmark. Raises
    ConfigError if an entry id does not exist.
    """
    if not all(entries_path(data, category).is_file() for category in run.categories):
        return []
    read = cache(lambda category: _read(data, category))
    models: dict[str, list[str]] = {}
    for folder in run.folders:
        if folder not in complete:
            jobs = run.jobs_of(folder)
            # Shards divide the entries of one selection; other jobs have categories of their own.
            parts = {job.categories: job for job in jobs}.values()
            entries = [entry for job in parts for entry in _entries(job, read)]
            models.setdefault(_described(entries, jobs[0]), []).append(jobs[0].name)
    return [f"{', '.join(names)}: {work}" for work, names in models.items()]


def _entries(job: Job, read: Callable[[str], list[PlannedEntry]]) -> list[PlannedEntry]:
    staged = [entry for category in job.categories for entry in read(category)]
    return choose_entries(staged, job.categories, job.selection)


def _described(entries: Sequence[PlannedEntry], job: Job) -> str:
    sessions = sum(entry.prerequisite for entry in entries)
    parts = [plural(len(entries) - sessions, "entry", "entries")]
    parts += [plural(sessions, "session", "sessions")] if sessions else []
    work = " + ".join(parts)
    if job.recorded:
        return f"{work}, taken from results"
    if not job.embedded:
        requests = plural(sum(entry.turns for entry in entries), "request", "requests")
        work += f", at least {requests}"
    return work + _searches(entries, job)


def _searches(entries: Sequence[PlannedEntry], job: Job) -> str:
    """The searches and pages of web questions, if they are requested of the real web."""
    hops = sum(entry.hops for entry in entries)
    if not hops or job.web.mode not in NETWORK_MODES:
        return ""
    recorded = ", less what is recorded" if job.web.mode == "record" else ""
    effort = effort_text(hops, job.web)
    return f"; {effort} (one of each for a hop{recorded})"


def _read(data: Path, category: str) -> list[PlannedEntry]:
    table = read_table(entries_path(data, category), _COLUMNS)
    return [
        PlannedEntry(
            row["entry_id"],
            row["category"],
            row["depends_on"],
            row["prerequisite"],
            len(json.loads(row["turns_json"])),
            len(json.loads(row["source_json"])) if row["category"] in GROUPS["web_search"] else 0,
        )
        for row in table.to_pylist()
    ]


DATA, RESULTS = Path("data"), Path("results")
STATE = Path(".snakemake")
"""Snakemake's directory."""

_DRY_RUN = frozenset({"-n", "-np", "--dry-run", "--dryrun"})


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
                watch_pending_jobs(Path.cwd())
            if not touch:
                for path in self.outdated.replaced:
                    path.unlink(missing_ok=True)
            if self.active and self.active.alone:
                end_orphaned_jobs(Path.cwd(), print_line)
                self.active.forget_interrupted()
        except ConfigError as error:
            sys.exit(str(error))

    def tabulate_complete(self) -> None:
        """Makes and reports the tables of the models that are complete, after a step of another failed."""
        print_line(tabulate_scored(Run(RESULTS / self.run.name), self.run))


def prepare_run(
    run: RunConfig,
    config: Mapping[str, Any],
    slurm: SlurmLimits,
    workflow: Workflow,
    arguments: Sequence[str],
) -> MainProcess:
    """Checks a run against its results and this machine, and claims the working directory for it.

    Args:
        run: the run.
        config: its config, complete and checked.
        slurm: what the cluster offers.
        workflow: of Snakemake.
        arguments: Snakemake's command line.

    Raises:
        ConfigError, ErrataError: as `check_results`.
        LeaseError: another run stages the data, and its lock file cannot be read.
    """
    outdated = check_results(run, config, workflow, arguments)
    repeat_steps(outdated.outputs)
    stages = not is_dry_run(arguments) and not config["replay"]
    return MainProcess(run, slurm, outdated, claim_folder(run, stages=stages))


def check_results(
    run: RunConfig, config: Mapping[str, Any], workflow: Workflow, arguments: Sequence[str]
) -> OutdatedResults:
    """Checks what a run has and needs, and prints what is to be expected of it.

    Args:
        run: the run.
        config: its config, complete and checked.
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
    if config["replay"]:
        return OutdatedResults()
    made = Run(RESULTS / run.name)
    check_recorded(made, config, run)
    outdated = outdated_results(made, config, run)
    if slurm_named(arguments, [Path(), Path(workflow.basedir)]):
        check_slurm()
    if config["entry_ids"]:
        from bfcl_pipeline.ask.jobs.selection import check_entry_ids  # loads pyarrow

        check_entry_ids(run, DATA)
    machine = Machine(
        cluster=workflow.resource_settings.nodes is not None,
        containers=bool(workflow.deployment_settings.deployment_method),
    )
    _print_lines([*preflight(run, outdated.complete, machine), *journaled_lines(run, outdated.complete)])
    if is_dry_run(arguments):
        from bfcl_pipeline.ask.jobs.main_process import planned_work  # loads pyarrow

        _print_lines(planned_work(run, outdated.complete, DATA))
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


def _print_lines(lines: Sequence[str]) -> None:
    for line in lines:
        print_line(line)
