"""The run of the workflow, checked when the Snakefile is read: what its rules are made of.

Every process of Snakemake reads the Snakefile, also those of single jobs of a group or on a cluster. So
what only the main process needs is not imported here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.ask.models.weights import identified_rows
from bfcl_pipeline.ask.orchestration.job_files import (
    JobFiles,
    group_shards,
    in_turn,
    job_files,
    staged_files,
)
from bfcl_pipeline.ask.orchestration.slurm_cluster import SlurmLimits
from bfcl_pipeline.base.errors import ConfigError, ErrataError, MalformedRelease
from bfcl_pipeline.base.project import read_env_file
from bfcl_pipeline.benchmark.config import (
    MODELS_VARIABLE,
    RunConfig,
    load_models,
    load_run,
    model_folder,
    models_files,
    plain_values,
    recorded_files,
)
from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.conditions import split_condition
from bfcl_pipeline.benchmark.config.published_scores import dates_as_text, identify_files
from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.benchmark.errata.verified_data import check_staged

if TYPE_CHECKING:
    from bfcl_pipeline.ask.jobs.main_process import MainProcess, Workflow


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run that may start, and what follows from it for the rules."""

    run: RunConfig
    main: MainProcess | None  # None in a process of single jobs
    steps: tuple[JobFiles, ...]  # one for each job of the run
    unstaged: bool  # whether a staged file is missing

    @property
    def gathered(self) -> dict[str, list[JobFiles]]:
        """By the model's name as a file name: its shards, for each model that has several."""
        return group_shards(self.steps)

    @property
    def compared(self) -> dict[str, str]:
        """The models that are compared, each with its name as a file name."""
        return {name: model_folder(name) for group in self.run.comparisons for name in group}

    @property
    def record(self) -> dict[str, str]:
        """The content of the files that record the run, by name."""
        return recorded_files(self.run)

    def staged(self, paths: list[str], folder: str) -> list[str]:
        """Those of the staged files `paths` that a step of the model `folder` needs as its inputs.

        Their content follows from the release, whatever their time; results of another release are
        outdated. While some are missing, a model of which nothing else is missing needs none.
        """
        finished = self.main is not None and folder in self.main.outdated.finished
        return [] if self.unstaged and finished else paths


def complete_config(config: dict[str, Any]) -> None:
    """Checks a config and changes it in place: types as in its schema, keys left out at their defaults.

    Raises:
        ConfigError: a key or value is wrong, or a file of published scores.
    """
    config.update(plain_values(config, config_schema()))
    config["published"] = dates_as_text(config.get("published", []))
    config.update(complete_values(config))
    if not config["replay"]:  # which has the recorded table, not the files
        config["published"] = identify_files(config["published"])


def configured_run(config: Mapping[str, Any]) -> RunConfig:
    """The run that a complete config describes, of models whose weights are identified.

    The models files are passed to the steps in the environment. Raises ConfigError if a file or a row is
    wrong, or the config contradicts itself.
    """
    # A variable, unlike a parameter, repeats no step if it changes: that is decided by the rows.
    os.environ[MODELS_VARIABLE] = ":".join(map(str, models_files(config["models_file"] or ())))
    rows = load_models()
    if not config["replay"]:  # which has the recorded digests, not the weights
        named = [split_condition(name)[0] for name in config["models"]]
        rows = identified_rows(rows, [*config["models"], *named], partial(print, file=sys.stderr))
    return load_run(config, rows)


def check_run(config: dict[str, Any], workflow: Workflow, arguments: Sequence[str]) -> CheckedRun:
    """The run that the config describes; ends the process with one line if it is wrong or cannot start.

    Args:
        config: as Snakemake read it; it is completed in place.
        workflow: of Snakemake.
        arguments: Snakemake's command line.

    Raises:
        LeaseError: another run stages the data, and its lock file cannot be read.
    """
    # The executor is known only after the Snakefile is read.
    slurm = SlurmLimits(
        lambda: workflow.executor_plugin and workflow.executor_plugin.name,
        lambda: workflow.resource_settings.default_resources,
    )
    try:
        read_env_file()  # its variables reach every job, those on a cluster too
        complete_config(config)
        check_staged(Path("data"), config["release"]["version"])
        run = configured_run(config)
        main = None
        if workflow.is_main_process:
            from bfcl_pipeline.ask.jobs.main_process import (
                prepare_run,  # slow, and of no use to single jobs
            )

            main = prepare_run(run, slurm, workflow, arguments)
    except (ConfigError, ErrataError, MalformedRelease) as error:
        sys.exit(f"config: {error}")
    steps = tuple(in_turn(job_files(job, slurm.largest_node) for job in run.jobs))
    unstaged = not all(path.exists() for path in staged_files(run))
    return CheckedRun(run, main, steps, unstaged)
