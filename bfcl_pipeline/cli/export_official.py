"""`bfcl-pipeline export-official`: the responses of a run as result folders of the official tool."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="has responses/")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where to make the folder `result`"
    )
    add_data(parser)
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="export this model only; repeatable (default: all that have responses)",
    )
    parser.add_argument(
        "--as",
        action="append",
        default=[],
        dest="names",
        metavar="NAME=OFFICIAL",
        help="write the model NAME under the name of an official model, asked in the same mode; repeatable",
    )


def run(args: argparse.Namespace) -> int:
    """Exports the responses; stderr tells what was left out, and how to have the rest scored."""
    from bfcl_pipeline.staging import export_official

    export_official(
        args.run_dir,
        args.out / "result",
        data=args.data,
        models=args.model,
        names=dict(map(_pair, args.names)),
        log=lambda line: print(line, file=sys.stderr),
    )
    print(
        "Score it: bfcl evaluate --partial-eval"
        f" --result-dir {(args.out / 'result').resolve()} --score-dir {(args.out / 'score').resolve()}",
        file=sys.stderr,
    )
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, official = text.partition("=")
    if not (name and equals and official):
        raise ConfigError(f"--as: expected NAME=OFFICIAL, got {text!r}.")
    return name, official
