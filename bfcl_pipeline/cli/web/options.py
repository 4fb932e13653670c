"""Options that several actions of `bfcl-pipeline web` have."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.runs import RUN_HELP


def add_record(parser: argparse.ArgumentParser) -> None:
    """`--record`: the directory of the web cache."""
    parser.add_argument(
        "--record", type=Path, default=Path("cache/web"), help="the web cache (default: cache/web)"
    )


def add_run(parser: argparse.ArgumentParser, about: str) -> None:
    """`RUN`, as `run_dir`: a run, or None. about: what is done if it is given."""
    parser.add_argument("run_dir", nargs="?", type=Path, metavar="RUN", help=f"{RUN_HELP}; {about}")
