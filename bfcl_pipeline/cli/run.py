"""`bfcl-pipeline run`: evaluate models with Snakemake, from staging to the report."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.orchestration.workflow_command import (
    WorkflowCall,
    command,
    given_keys,
    parse_setting,
    run_name,
)
from bfcl_pipeline.benchmark.config.job import WEB_MODES
from bfcl_pipeline.benchmark.config.sampling import SampleBy
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli.options import split_names

_EPILOG = """\
Without options, the embedded models are run on the whole benchmark. Works in the current folder: data/,
cache/, results/, and config/ if it exists. To continue an interrupted run, give the same command again,
--fresh included. Arguments after -- are passed to Snakemake.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command. What is not given is as in config/config.yaml."""
    parser.usage = "bfcl-pipeline run [-m MODEL] [-c CATEGORY] [--sample N] [option ...]"
    parser.epilog = _EPILOG
    _add_selection(parser.add_argument_group("what to evaluate"))
    _add_terms(parser.add_argument_group("how"))
    _add_place(parser.add_argument_group("where"))
    parser.add_argument("arguments", nargs="*", metavar="--  ...", help="further arguments of Snakemake")


def run(options: argparse.Namespace) -> int:
    """Replaces this process by Snakemake, whose exit status is that of the command."""
    call = WorkflowCall(
        given_keys(vars(options)) | dict(parse_setting(text) for text in options.config),
        tuple(options.configfile),
        options.cores,
        options.profile,
        options.dry_run,
        tuple(options.arguments),
    )
    words = command(call)
    if "run" not in call.config and run_name(call) is not None:
        print(f"Run {run_name(call)}: results/{run_name(call)}", file=sys.stderr, flush=True)
    # The steps of the run call the `bfcl-pipeline` of this environment, also if another one is active.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.execv(words[0], words)  # noqa: S606  # an interrupt then reaches Snakemake once


def _add_selection(group: argparse._ArgumentGroup) -> None:
    names = "repeat, or separate by commas"
    about = f"`bfcl-pipeline models` lists them; {names}"
    _value(group, "-m --model", split_names, "MODEL", about, dest="models", action="extend")
    about = f"or a group such as live, multi_turn; {names}"
    _value(group, "-c --category", split_names, "CATEGORY", about, dest="categories", action="extend")
    about = f"only this entry; {names}"
    _value(group, "--entry-id", split_names, "ID", about, dest="entry_ids", action="extend")
    _value(group, "--sample", int, "N", "only N entries, the same for all models")
    about = "how they are divided among categories: by size (default), or by weight in the overall score"
    _value(group, "--sample-by", str, None, about, choices=[by.value for by in SampleBy])
    _value(group, "--seed", int, "N", "random seed of the sample")
    _value(group, "--trials", int, "N", "repeat the benchmark N times, to measure the spread")
    about = f"ways to ask: stream, strict, load=1:16, effort=low:high, api=chat:responses:prompt; {names}"
    _value(group, "--conditions", split_names, "CONDITION", about, action="extend")
    about = "what the web-search categories search, and what executed calls ask"
    _value(group, "--web", str, None, about, choices=WEB_MODES)


def _add_terms(group: argparse._ArgumentGroup) -> None:
    about = "name of the run (default: from the model and the sample, else as in the config)"
    _value(group, "--run", str, "NAME", about)
    _value(group, "--budget", float, "DOLLARS", "stop a model at this cost")
    _value(group, "--rules", str, None, "rule set of the tables", choices=[rules.value for rules in Rules])
    about = "your own errata, used beside the shipped ones under verified rules; repeatable"
    _value(group, "--errata", split_names, "FILE", about, action="extend")
    about = "ask everything: the run has a journal of its own, and uses no answer of an earlier run"
    group.add_argument(
        "--fresh", dest="journal", action="store_const", const="run", default=argparse.SUPPRESS, help=about
    )
    about = "replace a run of this name that was made with other settings"
    group.add_argument("--overwrite", action="store_true", default=argparse.SUPPRESS, help=about)
    group.add_argument(
        "--configfile",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="settings that override config/config.yaml; repeatable",
    )
    group.add_argument(
        "--config", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="any other setting"
    )


def _add_place(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--cores", metavar="N", help="processor cores to use (default: all)")
    group.add_argument("--profile", metavar="NAME", help="slurm, or another profile of Snakemake")
    group.add_argument("-n", "--dry-run", action="store_true", help="print the steps, and run none")


def _value(
    group: argparse._ArgumentGroup,
    flags: str,
    kind: Callable[[str], Any],
    metavar: str | None,
    about: str,
    **more: Any,
) -> None:
    group.add_argument(
        *flags.split(), type=kind, metavar=metavar, default=argparse.SUPPRESS, help=about, **more
    )
