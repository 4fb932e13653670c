"""`bfcl-pipeline diff`: what two runs differ in, and where each conversation parts."""

import argparse
import shutil
import sys
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, PipelineError
from bfcl_pipeline.benchmark.tables.text_forms import FORMS
from bfcl_pipeline.cli.options import add_cache, add_data, add_files, add_names, add_rules, print_to_stderr
from bfcl_pipeline.runs.archived.unpacking import opened_run
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.difference import diff_runs, write_difference
from bfcl_pipeline.show.compare.diff.text import difference_text
from bfcl_pipeline.show.compare.tables import JSON, check_form

UNUSABLE = 2
"""Exit status if a run cannot be read, as of `diff`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Compare two runs: settings, software, entries, requests, answers, verdicts; where each "
        "conversation parts, and the paired comparison. Nothing is sent or fetched. Exit status: 0, the "
        "same entries, answers and verdicts; 1, others; 2, a run cannot be read."
    )
    for name in ("A", "B"):
        side = "a run, its directory, or an archive (FILE.zip)"
        parser.add_argument(name.lower(), type=Path, metavar=name, help=side)
    about = "compare this model of A with that of the same name in B, or NAME=OTHER (default: all of both)"
    add_names(parser, "--model", "model", about, spaced=False)
    add_rules(parser, "rule set of the paired comparison")
    forms = ".json (with all else), .csv, .jsonl or .parquet"
    add_files(parser, "--out", f"write the first difference of each entry: {forms}")
    shown = "lines to print of each list (default: 5)"
    parser.add_argument("--show", type=int, default=5, metavar="N", help=shown)
    add_data(parser)
    other = "the staged data of B, if it is of another release (default: --data)"
    parser.add_argument("--other-data", type=Path, metavar="DIR", help=other)
    add_cache(parser, "directory with the journals and the web cache of A and B, unless they are archives")
    parser.add_argument("--other-cache", type=Path, metavar="DIR", help="the same of B (default: --cache)")


def run(options: argparse.Namespace) -> int:
    """Prints the difference. Returns 0 if there is none, 1 if there is one, UNUSABLE after an error."""
    try:
        if options.show < 0:
            raise ConfigError(f"--show: expected 0 or more, got {options.show}.")
        for path in options.out:
            check_form(path, (JSON, *FORMS))
        other_cache, other_data = options.other_cache or options.cache, options.other_data or options.data
        with (
            opened_run(options.a, options.cache, options.data) as first,
            opened_run(options.b, other_cache, other_data) as second,
        ):
            return _print(options, first, second)
    except (PipelineError, OSError) as error:
        print_to_stderr(f"bfcl-pipeline diff: {error}")
        return UNUSABLE


def _print(options: argparse.Namespace, first: Run, second: Run) -> int:
    """Prints the difference and writes it."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    found = diff_runs(first, second, models=options.model, rules=options.rules, log=print_to_stderr)
    print(difference_text(found, options.show, width))
    for path in options.out:
        write_difference(path, found)
    return int(found.differ)
