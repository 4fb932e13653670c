"""`bfcl-pipeline noise`: how much two equal runs differ, and what a gate may call a change."""

import argparse

from bfcl_pipeline.base.text import printable, text_table
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.cli.options import add_files, add_names, add_rules
from bfcl_pipeline.cli.sides import opened_sides
from bfcl_pipeline.show.compare.sides import read_sides
from bfcl_pipeline.show.compare.tables import check_form
from bfcl_pipeline.show.noise.noise import FORMS, measure_noise, noise_tables, write_noise


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "a run with trials, or several runs of one model: RUN, an archive (FILE.zip), or RUN:MODEL"
    parser.add_argument("runs", nargs="+", metavar="RUN", help=about)
    add_rules(parser, "rule set of the verdicts")
    add_names(parser, "--category", "categories", "only these categories or groups (default: all)")
    add_files(parser, "--out", f"write the tables; the suffix chooses the form: {', '.join(FORMS)}")


def run(options: argparse.Namespace) -> int:
    """Prints a table for each model, and writes them where asked."""
    for path in options.out:
        check_form(path, FORMS)
    with opened_sides(options.runs) as choices:
        numbering, sides = read_sides(choices, options.rules, resolve_categories(options.categories))
        found = measure_noise(numbering.entries, sides)
    for table in noise_tables(found):
        cells = text_table(table.headings, table.rows, right=range(1, len(table.headings)))
        print(printable("\n".join([table.caption, "", cells, *table.notes, ""])))
    for path in options.out:
        write_noise(path, found)
    return 0
