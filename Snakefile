# BFCL V4 as a DAG: stage the pinned release, generate responses, score them, tabulate, report.
#
#   snakemake --cores N
#
# config/config.yaml defines what a run evaluates; `bfcl-pipeline <rule> --help` describes what a rule does.

import sys

from snakemake.utils import min_version

from bfcl_pipeline.ask.jobs.checked_run import check_run
from bfcl_pipeline.base.project import project_file

min_version("9.27")


configfile: project_file("config/config.yaml")


# Completes `config`, and ends with one line if the run cannot start.
CHECKED = check_run(config, workflow, sys.argv)
RUN = CHECKED.run


report: "workflow/report/workflow.rst"


container: RUN.settings.images["pipeline"]


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
