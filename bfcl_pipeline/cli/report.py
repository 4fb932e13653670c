"""`bfcl-pipeline report`: write the page of a run, with its entries and figures."""

import argparse
import sys

from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.cli.options import add_cache, add_data, add_rules
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.report.page.render import write_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "it needs tables/; report.html, figures/ and report/ are written there")
    add_rules(parser, "rule set of the report", recorded=True)
    parser.add_argument(
        "--entries",
        choices=("wrong", "all", "none"),
        help="whose conversations the page has: those that a model has not right under every rule set, all "
        "or none (default: as in the config of the run)",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=None,
        help="the most processes that make conversations (default: the number of processors)",
    )
    add_data(parser)
    add_cache(parser, "directory with the journals and the web cache")


def run(options: argparse.Namespace) -> int:
    """Writes the page."""

    run = open_run(options.run_dir, options.cache, options.data)
    shown = run.shown if options.entries is None else ShownEntries(options.entries)
    page = write_page(
        run,
        options.rules or run.rules,
        shown=shown,
        processes=options.processes,
        told=PlainCount("conversations").show,
    )
    print(page, file=sys.stderr)
    return 0
