"""`bfcl-pipeline web import`: takes over what the web cache lacks from a record of somebody else."""

import argparse
import os
from pathlib import Path

from bfcl_pipeline.base.text import printable, text_table
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.cli.web.check import print_findings
from bfcl_pipeline.cli.web.options import add_record
from bfcl_pipeline.runs.archived.web_record import opened_record
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.importing import import_record

HELP = "add a record of the web from somebody else, after checking all of it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    parser.description = (
        "Check a record of the web, then add what the web cache lacks. If an outcome or cassette is "
        "damaged, or an outcome does not follow from its cassette, nothing is imported. Of two different "
        "outcomes of one request ours stays, from which finished runs replay, and both are printed. Exit "
        "status: 0, the record is consistent; 1, it is refused."
    )
    parser.add_argument(
        "source",
        type=Path,
        metavar="SOURCE",
        help="a web cache, a folder with one in web/ or cache/web/, the archive of a run, or a zip, tar "
        "or tar.gz file of a web cache",
    )
    add_record(parser)
    parser.add_argument("--dry-run", action="store_true", help="check and print, but write nothing")


def run(options: argparse.Namespace) -> int:
    """Imports and prints what was found. Returns 1 if the record is refused."""
    with opened_record(options.source) as record:
        found = import_record(
            record.folder,
            WebCache(options.record),
            dry_run=options.dry_run,
            processes=os.cpu_count() or 1,
            progress=PlainCount("checked outcomes").show,
        )
        print_findings(found.check, record.named)
    if others := found.others + record.packed_others:
        print(f"Other files in {printable(str(options.source))}, not read: {others:,}.")
    if found.check.failed:
        print(
            "\nNothing was imported. Ask for the record again, or delete the files that are named and "
            "import the rest of it."
        )
        return 1
    counts = {"new": found.new, "equal": found.equal, "conflicts, ours kept": len(found.conflicts)}
    print()
    print(
        text_table(("outcomes of the record", "number"), [(name, f"{n:,}") for name, n in counts.items()])
    )
    for conflict in sorted(found.conflicts):
        print(f"  {conflict}")
    print(f"\n{options.record}: {found.new:,} {'would be ' if options.dry_run else ''}added.")
    return 0
