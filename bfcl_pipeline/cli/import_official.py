"""`bfcl-pipeline import-official`: result folders of the official tool as a run, or as one table."""

import argparse
from pathlib import Path

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.results.found_form import FormChoice
from bfcl_pipeline.ask.results.import_results import import_official
from bfcl_pipeline.ask.results.import_run import Import, import_run, new_run_folder
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.job import WEB_MODES
from bfcl_pipeline.cli.form_options import add_form_options, form_choice
from bfcl_pipeline.cli.options import add_data, add_errata, add_rules, print_to_stderr
from bfcl_pipeline.cli.runs import check_run_name
from bfcl_pipeline.runs.folders import RESULTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.terminal import print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add = parser.add_argument
    about = (
        "the official `result` folder (V3 or V4), the folder of one model in it, or a folder with `result` "
        "in it. Files and lines that cannot be read are listed; the exit status is 0 if anything was read"
    )
    add("result_dir", type=Path, metavar="RESULT_DIR", help=about)
    written = parser.add_mutually_exclusive_group(required=True)
    about = "write results/NAME: responses, verdicts, tables and report; print the table"
    written.add_argument("--as-run", metavar="NAME", help=about)
    about = "write a table of responses (.parquet, .csv, .jsonl)"
    written.add_argument("--out", type=Path, metavar="FILE", help=about)
    add("--overwrite", action="store_true", help="with --as-run: replace a run of that name")
    add_data(parser)
    add_models(parser)
    add_form_options(parser)
    about = "with --as-run: the web that was searched, if the results were exported from a run here"
    add("--web", choices=WEB_MODES, help=about)
    add_rules(parser, "with --as-run: rule set of the printed table and the official CSV files")
    add_errata(parser)
    add("--run", help="with --out: value of the column `run`")


def run(args: argparse.Namespace) -> int:
    """Imports the results; reports what was read on stderr."""
    choice = form_choice(args)
    if args.as_run is not None:
        return _import_run(args, choice)
    if args.overwrite or args.web is not None or args.errata:
        raise ConfigError("--overwrite, --web and --errata need --as-run NAME.")

    import_official(
        args.result_dir, args.out, data=args.data, run=args.run, choice=choice, log=print_to_stderr
    )
    return 0


def _import_run(args: argparse.Namespace, choice: FormChoice) -> int:

    if args.run is not None:
        raise ConfigError("--run is for --out; --as-run NAME names the run.")
    check_run_name(args.as_run)
    source = Import(
        result_dir=args.result_dir,
        run=args.as_run,
        data=args.data,
        models=args.models,
        choice=choice,
        web=args.web,
        rules=args.rules,
        errata=args.errata,
    )
    folder = RESULTS / args.as_run
    with new_run_folder(folder, overwrite=args.overwrite) as made:
        import_run(source, made, print_to_stderr)
        run = Run(made, data=args.data)
        aggregate_run(run, args.models, args.rules)
        write_page(run, args.rules)
    print_table(Run(folder), args.rules)
    return 0
