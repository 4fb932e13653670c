"""`bfcl-pipeline verify`: check the archive of a run, derive its results again, and compare."""

import argparse
from pathlib import Path

from bfcl_pipeline.cli.asking_options import add_asking_options, asking_checks
from bfcl_pipeline.cli.official_options import add_official_options, official_checks
from bfcl_pipeline.cli.options import add_cores, add_data
from bfcl_pipeline.cli.runs import ARCHIVE_HELP, archive_file
from bfcl_pipeline.cli.signing_options import add_trust, attestation
from bfcl_pipeline.cli.steps import StepsShown
from bfcl_pipeline.share.archive.verify import verify_archive


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
