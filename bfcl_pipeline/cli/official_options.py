"""The options of `bfcl-pipeline verify` with which the official scorer judges the answers of an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.runs.archived.findings import FurtherCheck
from bfcl_pipeline.share.official.check import OfficialCheck


def add_official_options(parser: argparse.ArgumentParser) -> None:
    """Declares the options."""
    group = parser.add_argument_group(
        "the official scorer",
        "Have the official package judge the answers too, in an environment of its own, and compare every "
        "verdict (docs/archive.md).",
    )
    group.add_argument("--official", action="store_true", help="compare with the official scorer")
    group.add_argument(
        "--official-python",
        type=Path,
        metavar="PYTHON",
        help="a Python that has bfcl-eval (default: an environment in official/ of --cache, made once with "
        "pip)",
    )


def official_checks(options: argparse.Namespace) -> list[FurtherCheck]:
    """The check that the options ask for, if any."""
    if not options.official and options.official_python is None:
        return []

    return [OfficialCheck(options.official_python, options.cache, options.cores)]
