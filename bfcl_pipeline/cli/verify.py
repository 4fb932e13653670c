"""`bfcl-pipeline verify`: check the archive of a run, derive its results again, and compare."""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.cli.asking_options import add_asking_options, asking_checks
from bfcl_pipeline.cli.options import add_cores, add_data
from bfcl_pipeline.cli.runs import ARCHIVE_HELP, archive_file
from bfcl_pipeline.cli.signing_options import add_trust, attestation
from bfcl_pipeline.cli.steps import StepsShown
from bfcl_pipeline.runs.archived.findings import FurtherCheck
from bfcl_pipeline.share.archive.verify import verify_archive
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Check the archive of a run, derive its results again offline, and compare. Exit status: 0, all "
        "results were derived and are identical; 1, the archive was refused, or something differs or was "
        "demanded and is missing; 3, not all "
        "results could be derived."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=ARCHIVE_HELP)
    add_data(parser)
    add_cores(parser)
    add_trust(parser)
    add_asking_options(parser)
    add_official_options(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what was derived again, what is attested and by whom, and what is not covered."""

    file = archive_file(options.file)
    further = [*official_checks(options), *asking_checks(options)]
    with StepsShown() as steps:

        def log(line: str) -> None:
            steps.clear()
            print(line, flush=True)

        done = verify_archive(
            file,
            data=options.data,
            cores=options.cores,
            log=log,
            step_log=steps,
            further=further,
            attestation=attestation(options),
        )
        return done.verification
