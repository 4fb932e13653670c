"""`bfcl-pipeline web check`: whether the cassettes of the web cache prove its outcomes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.cli.web.options import add_record, add_run
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.world.web.cache import WebCache

if TYPE_CHECKING:
    from bfcl_pipeline.world.web.check import CacheCheck
    from bfcl_pipeline.world.web.keys import Key

HELP = "play the cassettes of the web cache, offline; exit status 1 if one contradicts its outcome"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    add_record(parser)
    add_run(parser, "check what it used only")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints how many outcomes are proven, and what is wrong. Returns 1 if the record is not consistent."""
    from bfcl_pipeline.world.web.check import check_cache  # loads the readers

    cache = WebCache(options.record)
    keys = (
        None
        if options.run_dir is None
        else _keys(open_run(options.run_dir, data=options.data), options.record)
    )
    started = time.perf_counter()
    progress = PlainCount("checked outcomes").show
    check = check_cache(cache, keys, progress, processes=os.cpu_count() or 1)
    if not check.outcomes and not check.unused:
        absent = "" if options.record.is_dir() else " (no such directory)"
        print(f"{options.record}: nothing to check{absent}.")
        return 0
    _print_findings(check)
    print(f"\n{options.record}: {check.outcomes:,} outcomes in {time.perf_counter() - started:,.1f} s")
    return 1 if check.failed else 0


def _keys(run: Run, record: Path) -> set[Key]:
    """The outcomes that a run used."""
    from bfcl_pipeline.judge.web_files import run_keys, unfinished_models

    if models := unfinished_models(run):
        print(
            f"{run.folder}: not finished: {', '.join(models)}. What these used is checked without RUN "
            "only, or when the run is finished.",
            file=sys.stderr,
        )
    return run_keys(run, record, unfinished=True)


def _print_findings(check: CacheCheck) -> None:
    """A table of counts, then what is wrong, one line each; of undecided outcomes the first."""
    rows = [("proven by its cassette", f"{check.proven:,}"), ("nothing was sent", f"{check.unsent:,}")]
    rows += [(name, f"{len(lines):,}") for name, lines in check.findings()]
    print(text_table(("outcome", "number"), rows))
    for name, lines in check.findings():
        for line in lines[:1] if lines is check.undecided else lines:
            print(f"{name}: {line}", file=sys.stderr)
