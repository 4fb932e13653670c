"""`bfcl-pipeline report`: write the report of a run as one HTML file."""

import argparse
import sys

from bfcl_pipeline.cli.options import add_cache, add_data, add_rules
from bfcl_pipeline.cli.runs import add_run, run_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "with tables/; report.html is written there")
    add_rules(parser, "rule set of the report")
    add_cache(parser, "directory with the journals, for the days of the answers")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the page."""
    from bfcl_pipeline.report.page.render import write_page

    page = write_page(run_folder(options.run_dir), options.rules, options.cache, data=options.data)
    print(page, file=sys.stderr)
    return 0
