"""`bfcl-pipeline export`: write the results of a run in a form that other programs read."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, add_names, add_rules, print_to_stderr
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.share.exports.forms import FORMS, ExportOptions, export_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "with tables/")
    parser.add_argument(
        "--form",
        choices=list(FORMS),
        required=True,
        help="; ".join(f"{name}: {form.about}" for name, form in FORMS.items()),
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="PATH",
        help="the file, or for forms of several files a directory",
    )
    add_rules(parser, "rule set of the scores")
    add_names(parser, "--model", "model", "export only these models (default: all models)", spaced=False)
    add_data(parser)
    parser.add_argument(
        "--organization",
        default="unknown",
        metavar="NAME",
        help="every-eval-ever: the organization that made the run (default: unknown)",
    )


def run(args: argparse.Namespace) -> int:
    """Writes the files; prints their names and what was left out to stderr."""
    options = ExportOptions(args.out, args.rules, args.model, args.organization)
    export_run(open_run(args.run_dir, data=args.data), args.form, options, print_to_stderr)
    return 0
