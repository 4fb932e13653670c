"""`bfcl-pipeline conditions`: what streams, load, strict tools or another API change, entry by entry."""

import argparse
from pathlib import Path

from bfcl_pipeline.base.text import printable
from bfcl_pipeline.cli.options import add_cache, add_files, add_rules
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.conditions.view import read_varied, varied_lines, write_rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "made with --conditions")
    add_rules(parser, "rule set of the verdicts")
    add_cache(parser, "where the journals are")
    add_files(parser, "--out", "write each effect as a row: .parquet, .csv or .jsonl")
    about = "write the figure accuracy against throughput into this directory"
    parser.add_argument("--figure", type=Path, metavar="DIR", help=about)


def run(options: argparse.Namespace) -> int:
    """Prints the effects of the conditions of each model, and writes them where asked."""
    run = open_run(options.run_dir, options.cache)
    found = read_varied(run, options.rules)
    for varied in found:
        print(printable("\n".join(varied_lines(varied, options.rules))))
    for path in options.out:
        write_rows(path, found)
    if options.figure:
        from bfcl_pipeline.show.conditions.figure import write_figure  # imports altair

        write_figure(options.figure, found, f"Run {run.name}, {options.rules} rules")
    return 0
