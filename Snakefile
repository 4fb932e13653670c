# BFCL V4 as a DAG: stage the pinned release, generate responses, score them, tabulate, report.
#
#   snakemake --cores N
#
# config/config.yaml defines what a run evaluates; `bfcl-pipeline <rule> --help` describes what a rule does.

import re
import sys
from pathlib import Path
from shlex import quote

import yaml
from snakemake.utils import min_version, validate

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import (
    check_config,
    load_models,
    load_run,
    recorded_config,
    recorded_models,
)
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.jobs.options import MODELS_FILE, to_argv
from bfcl_pipeline.orchestration.job_files import (
    encoder_of,
    gathered,
    job_files,
    retry_count,
)
from bfcl_pipeline.orchestration.job_resources import (
    generation_resources,
    serving_resources,
)
from bfcl_pipeline.orchestration.interrupted_run import clear_interrupted_runs
from bfcl_pipeline.orchestration.orphaned_jobs import end_orphaned_jobs

min_version("9.27")


configfile: "config/config.yaml"


SCHEMA = "workflow/schemas/config.schema.yaml"

try:
    check_config(config, yaml.safe_load(Path(workflow.basedir, SCHEMA).read_text()))
    validate(config, SCHEMA)  # fills in the defaults
    MODELS = load_models(MODELS_FILE)
    RUN = load_run(config, MODELS)
except ConfigError as error:
    sys.exit(f"config: {error}")

# Held until this process ends. After a run was killed, the same command continues it, without --unlock.
ALIVE = (
    clear_interrupted_runs(Path(".snakemake"), [Path("data"), Path("results")])
    if workflow.is_main_process
    else None
)


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
