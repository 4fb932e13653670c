"""Options that several commands share, so that they are called and mean the same everywhere."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bfcl_pipeline.records import Rules


def add_data(parser: argparse.ArgumentParser) -> None:
    """`--data`: the staged data folder, as a Path."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data (default: data)")


def add_rules(parser: argparse.ArgumentParser, about: str) -> None:
    """`--rules`: one rule set; `about` says what for."""
    parser.add_argument(
        "--rules",
        type=Rules,
        choices=[*Rules],
        default=Rules.OFFICIAL,
        help=f"{about} (default: official)",
    )


def add_cores(parser: argparse.ArgumentParser) -> None:
    """`--cores`: how many processor cores Snakemake may use, as an int."""
    parser.add_argument(
        "--cores",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processor cores to use (default: all)",
    )
