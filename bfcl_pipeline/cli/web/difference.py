"""`bfcl-pipeline web diff`: which outcomes differ between two records of the web."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, PipelineError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.cli.options import print_to_stderr
from bfcl_pipeline.cli.plain_count import PlainCount
from bfcl_pipeline.world.web.difference import RecordDifference, compare_records
from bfcl_pipeline.world.web.difference_forms import difference_json, difference_text

HELP = "print which outcomes differ between two records of the web; exit status as of diff"

UNUSABLE = 2
"""Exit status if a record, or a file of it, cannot be read."""

_STDOUT = Path("-")

SHOWN = 20
"""Requests of each list that are printed, unless `--show` says otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    parser.description = (
        "Compare two records of the web by query and address: how the web moved under the benchmark. Exit "
        "status: 0, equal outcomes; 1, different ones; 2, a record or a file of it cannot be read."
    )
    for name in ("A", "B"):
        parser.add_argument(
            name.lower(),
            type=Path,
            metavar=name,
            help="a web cache, a folder with one, the archive of a run, or a zip or tar file of one",
        )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write everything as JSON; -: print it, and nothing else"
    )
    parser.add_argument(
        "--show",
        type=int,
        default=SHOWN,
        metavar="N",
        help=f"requests of each list to print (default: {SHOWN})",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the difference. Returns 0 if there is none, 1 if there is one, UNUSABLE after an error."""
    try:
        if options.show < 0:
            raise ConfigError(f"--show: expected 0 or more, got {options.show}.")
        found = _compared(options.a, options.b)
        document = json.dumps(difference_json(found), indent=1)
        if options.json not in (None, _STDOUT):
            write_text(options.json, f"{document}\n")
    except (PipelineError, OSError) as error:
        print_to_stderr(f"bfcl-pipeline web diff: {error}")
        return UNUSABLE
    print(document if options.json == _STDOUT else difference_text(found, options.show))
    for side in found.sides:
        for line in side.damaged[:SHOWN]:
            print_to_stderr(line)
        if len(side.damaged) > SHOWN:
            print_to_stderr(f"... and {len(side.damaged) - SHOWN:,} more damaged files")
    if found.damaged:
        return UNUSABLE
    return 1 if found.differ else 0


def _compared(first: Path, second: Path) -> RecordDifference:
    from bfcl_pipeline.runs.archived.web_record import opened_record

    with opened_record(first) as one, opened_record(second) as two:
        found = compare_records(one.folder, two.folder, PlainCount("compared outcomes").show)
        for side, record in zip(found.sides, (one, two), strict=True):
            side.damaged = [record.named(line) for line in side.damaged]
        return found
