"""`bfcl-pipeline export`: write the results of a run in a form that other programs read."""

import argparse
import re
from contextlib import ExitStack
from pathlib import Path

from bfcl_pipeline.cli.options import add_data, add_names, add_rules, print_to_stderr
from bfcl_pipeline.cli.runs import RUNS_HELP, opened
from bfcl_pipeline.share.exports.forms import FORMS, ExportOptions, export_run

_OF_RUN = re.compile("results/|cache/web/").match
"""True for the members of an archive that an export needs: all but the journals."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = f"{RUNS_HELP}; with tables/"
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help=about)
    about = "; ".join(f"{name}: {form.about}" for name, form in FORMS.items())
    parser.add_argument("--form", choices=list(FORMS), required=True, help=about)
    about = "the file, or for forms of several files a directory"
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help=about)
    add_rules(parser, "rule set of the scores")
    add_names(parser, "--model", "model", "export only these models (default: all models)", spaced=False)
    add_data(parser)
    about = "every-eval-ever: the organization that made the run (default: unknown)"
    parser.add_argument("--organization", default="unknown", metavar="NAME", help=about)


def run(args: argparse.Namespace) -> int:
    """Writes the files; prints their names and what was left out to stderr."""
    with ExitStack() as archives:
        run, *beside = (opened(archives, source, args.data, _OF_RUN) for source in args.runs)
        options = ExportOptions(args.out, args.rules, args.model, args.organization, beside)
        export_run(run, args.form, options, print_to_stderr)
    return 0
