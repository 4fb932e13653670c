"""`bfcl-pipeline export-official`: write the responses of a run as result folders of the official tool."""

import argparse
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.cli.options import add_data, add_names, print_to_stderr
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.share.official.export_results import export_official


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "with responses/")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="directory for the folder `result`",
    )
    add_data(parser)
    add_names(
        parser,
        "--model",
        "model",
        "export only these models (default: all models with responses)",
        spaced=False,
    )
    parser.add_argument(
        "--as",
        action="append",
        default=[],
        dest="names",
        metavar="NAME=OFFICIAL",
        help="export the model NAME under the name of an official model of the same mode; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Exports the responses; prints what was left out and how to score the rest to stderr."""

    export_official(
        open_run(args.run_dir, data=args.data),
        args.out / "result",
        models=args.model,
        names=dict(map(_pair, args.names)),
        log=print_to_stderr,
    )
    print_to_stderr(
        "Score it: bfcl evaluate --partial-eval"
        f" --result-dir {(args.out / 'result').resolve()} --score-dir {(args.out / 'score').resolve()}"
    )
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, official = text.partition("=")
    if not (name and equals and official):
        raise ConfigError(f"--as: expected NAME=OFFICIAL, got {text!r}.")
    return name, official
