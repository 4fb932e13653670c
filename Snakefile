# BFCL V4 as a DAG: stage the pinned release, generate responses, score them, tabulate, report.
#
#   snakemake --cores N
#
# config/config.yaml defines what a run evaluates; `bfcl-pipeline <rule> --help` describes what a rule does.

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote

import yaml
from snakemake.utils import min_version, validate

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.config import (
    MODELS_VARIABLE,
    check_config,
    load_models,
    load_run,
    model_folder,
    models_files,
    plain_values,
    recorded_config,
    recorded_models,
)
from bfcl_pipeline.config.published_scores import dates_as_text, identified
from bfcl_pipeline.environment import read_env_file
from bfcl_pipeline.errata import errata_digest
from bfcl_pipeline.errors import ConfigError, ErrataError
from bfcl_pipeline.jobs.journaled import journaled_lines
from bfcl_pipeline.jobs.options import to_argv
from bfcl_pipeline.jobs.preflight import Machine, preflight
from bfcl_pipeline.jobs.result_paths import result_inputs
from bfcl_pipeline.models.weights import identified_rows
from bfcl_pipeline.orchestration.finished_results import (
    FinishedResults,
    check_recorded,
)
from bfcl_pipeline.orchestration.job_files import (
    encoder_of,
    gathered,
    job_files,
    staged_files,
)
from bfcl_pipeline.orchestration.job_resources import (
    generation_resources,
    serving_resources,
)
from bfcl_pipeline.orchestration.interrupted_run import clear_interrupted_runs
from bfcl_pipeline.orchestration.orphaned_jobs import end_orphaned_jobs
from bfcl_pipeline.orchestration.outdated_results import (
    OutdatedResults,
    outdated_results,
    repeat_steps,
)
from bfcl_pipeline.orchestration.pending_jobs import watch_pending_jobs
from bfcl_pipeline.orchestration.shared_folder import (
    share_locks,
    stage_alone,
)
from bfcl_pipeline.orchestration.slurm_cluster import (
    SlurmLimits,
    check_slurm,
    slurm_named,
)
from bfcl_pipeline.orchestration.partial_tables import tabulate_complete
from bfcl_pipeline.project import project_file
from bfcl_pipeline.screen.interruption import INTERRUPTION, STATUS as INTERRUPTED
from bfcl_pipeline.screen.run_state import RunDescription
from bfcl_pipeline.screen.screen import describe_run, exit_without_answers

min_version("9.27")


configfile: project_file("config/config.yaml")


SCHEMA = "workflow/schemas/config.schema.yaml"
DRY = bool({"-n", "-np", "--dry-run", "--dryrun"} & set(sys.argv))

try:
    read_env_file()  # its variables reach every job, those on a cluster too
    PROPERTIES = yaml.safe_load(Path(workflow.basedir, SCHEMA).read_text())
    config.update(plain_values(config, PROPERTIES))
    config["published"] = dates_as_text(config.get("published", []))
    check_config(config, PROPERTIES)
    validate(config, SCHEMA)  # fills in the defaults
    if not config["replay"]:  # which has the recorded table, not the files
        config["published"] = identified(config["published"])
    # Passed on as a variable, which unlike a parameter repeats no step: that is decided by the rows.
    os.environ[MODELS_VARIABLE] = ":".join(
        map(str, models_files(config["models_file"] or ()))
    )
    MODELS = load_models()
    if not config["replay"]:  # which has the recorded digests, not the weights
        MODELS = identified_rows(
            MODELS, config["models"], lambda line: print(line, file=sys.stderr)
        )
    RUN = load_run(config, MODELS)
    if RUN.errata and workflow.is_main_process:
        from bfcl_pipeline.own_errata import check_files  # loads pyarrow

        check_files(RUN.errata, Path("data"))
    OUTDATED = OutdatedResults()
    if workflow.is_main_process and not config["replay"]:
        FINISHED = FinishedResults(Path("results") / RUN.name)
        check_recorded(FINISHED, config, RUN)
        OUTDATED = outdated_results(FINISHED, config, RUN)
        if slurm_named(sys.argv, [Path(), Path(workflow.basedir)]):
            check_slurm()
        if config["entry_ids"]:
            from bfcl_pipeline.jobs.selection import check_entry_ids  # loads pyarrow

            check_entry_ids(RUN, Path("data"))
        MACHINE = Machine(
            cluster=workflow.resource_settings.nodes is not None,
            containers=bool(workflow.deployment_settings.deployment_method),
        )
        for line in [
            *preflight(RUN, OUTDATED.complete, MACHINE),
            *journaled_lines(RUN, OUTDATED.complete),
        ]:
            print(line, file=sys.stderr)
        if DRY:
            from bfcl_pipeline.jobs.planned_work import planned_work  # loads pyarrow

            for line in planned_work(RUN, OUTDATED.complete, Path("data")):
                print(line, file=sys.stderr)
except (ConfigError, ErrataError) as error:
    sys.exit(f"config: {error}")

repeat_steps(OUTDATED.outputs)

# Held until this process ends. After a run was killed, the same command continues it, without --unlock.
ALIVE = (
    clear_interrupted_runs(
        Path(".snakemake"), [Path("data"), Path("results")], RUN.name
    )
    if workflow.is_main_process
    else None
)
if ALIVE:
    share_locks(Path(".snakemake"), RUN.name)
    if not DRY and not config["replay"]:
        stage_alone(Path(".snakemake"), RUN.name, staged_files(RUN))


report: "workflow/report/workflow.rst"


container: config["containers"]["pipeline"]


include: "workflow/rules/common.smk"
include: "workflow/rules/stage.smk"
include: "workflow/rules/serve.smk"
include: "workflow/rules/generate.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"


rule all:
    """The report of the run, and with it every table."""
    default_target: True
    input:
        f"results/{RUN.name}/report.html",
        f"results/{RUN.name}/config.yaml",
    message:
        "All done"
