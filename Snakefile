# BFCL V4 as a DAG: stage the pinned release, ask the models, judge their answers, tabulate, report.
#
#   snakemake --cores N --workflow-profile workflow/profiles/default
#
# What a run evaluates stands in config/config.yaml; what a rule does, in `bfcl-pipeline <rule> --help`.

import re
import sys
from pathlib import Path
from shlex import quote

import yaml
from snakemake.utils import min_version, validate

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import (
    EMBEDDED_KINDS,
    asking_resources,
    check_config,
    clear_killed_run,
    end_left_jobs,
    load_models,
    load_run,
    parts_of,
    recorded_config,
    recorded_models,
    requeued,
    serving_resources,
)
from bfcl_pipeline.errors import ConfigError

min_version("9.27")


configfile: "config/config.yaml"


SCHEMA = "workflow/schemas/config.schema.yaml"

try:
    check_config(config, yaml.safe_load(Path(workflow.basedir, SCHEMA).read_text()))
    validate(config, SCHEMA)  # fills in the defaults
    MODELS = load_models(Path("config/models.yaml"))
    RUN = load_run(
        config,
        {name: row.mode for name, row in MODELS.items()},
        {name for name, row in MODELS.items() if row.kind in EMBEDDED_KINDS},
    )
except ConfigError as error:
    sys.exit(f"config: {error}")

# Kept to the end of this process: a run that was killed goes on with the same command, without --unlock.
ALIVE = (
    clear_killed_run(Path(".snakemake"), [Path("data"), Path("results")])
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
