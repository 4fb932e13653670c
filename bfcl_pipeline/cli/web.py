"""`bfcl-pipeline web status`: what the record of the web holds, and what of a run it covers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.aligned import print_table

if TYPE_CHECKING:
    from bfcl_pipeline.records import Response
    from bfcl_pipeline.web.status import Coverage, Survey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    about = "print what the record of the web holds; 1 if any of it is damaged"
    status = actions.add_parser("status", help=about, description=about)
    status.add_argument(
        "--record", type=Path, default=Path("cache/web"), help="the record (default: cache/web)"
    )
    status.add_argument(
        "--responses",
        type=Path,
        metavar="RUN_DIR",
        help="a run; also print what share of its web calls is recorded",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the state of the record. Returns 1 if something in it is damaged."""
    from bfcl_pipeline.web.record import Record
    from bfcl_pipeline.web.status import coverage, survey

    found = survey(Record(options.record))
    _print_survey(options.record, found)
    if options.responses is not None:
        _print_coverage(coverage(found.keys, _responses(options.responses)))
    for line in found.damaged:
        print(line, file=sys.stderr)
    return 1 if found.damaged else 0


def _responses(run_dir: Path) -> Iterator[Response]:
    from bfcl_pipeline.benchmark import GROUPS
    from bfcl_pipeline.errors import TableError
    from bfcl_pipeline.tables import read_responses

    tables = [
        path
        for category in GROUPS["web_search"]
        for path in run_dir.glob(f"responses/**/{category}.parquet")
    ]
    if not tables:
        raise TableError(
            f"{run_dir}: no responses of {' or '.join(GROUPS['web_search'])}. Name the folder of a run "
            "that asked them."
        )
    for path in sorted(tables):
        yield from read_responses(path)


def _print_survey(folder: Path, found: Survey) -> None:
    if not found.outcomes and not found.damaged:
        print(f"{folder}: nothing recorded yet.")
        return
    rows = [(*named, f"{count:,}") for named, count in sorted(found.outcomes.items(), reverse=True)]
    rows.append(("all", "", f"{found.outcomes.total():,}"))
    print_table(("function", "outcome", "number"), rows)
    cassettes = f"cassettes: {found.cassettes:,}"
    if found.cassettes_missing:
        cassettes += f", missing: {found.cassettes_missing:,}"
    print(f"\n{folder}: {found.bytes / 1e6:,.1f} MB, {cassettes}.")
    if found.oldest and found.newest:
        print(f"Recorded from {found.oldest:%Y-%m-%d %H:%M} to {found.newest:%Y-%m-%d %H:%M} UTC.")
    for engine, count in found.engines.most_common():
        print(f"By {engine}: {count:,}.")
    if found.leftovers:
        print(f"Files left by writers that were stopped, of no use: {found.leftovers:,}.")
    print(f"Damaged files: {len(found.damaged):,}." if found.damaged else "Nothing is damaged.")


def _print_coverage(models: Sequence[Coverage]) -> None:
    rows = [
        (
            model.model,
            f"{model.calls:,}",
            f"{model.calls_recorded:,}",
            _share(model.calls_recorded, model.calls),
            f"{model.keys:,}",
            _share(model.keys_recorded, model.keys),
        )
        for model in models
    ]
    print()
    print_table(("model", "web calls", "recorded", "share", "different", "share"), rows)
    for model in models:
        if model.unreadable:
            print(f"{model.model}: responses that cannot be read: {model.unreadable:,}.")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
