"""`bfcl-pipeline archive`: write one file that holds a run and all it rests on but the benchmark's data."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_data

if TYPE_CHECKING:
    from bfcl_pipeline.archive.recorded_run import RecordedRun
    from bfcl_pipeline.records import Response

RECORDED_WEBS = ("record", "replay")
"""Modes in which what a model saw of the web is in the record."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="the complete run, results/<run>")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="what to write (default: RUN_DIR.crate.zip)"
    )
    add_data(parser)
    parser.add_argument(
        "--cache", type=Path, default=Path("cache"), help="has exchanges/ and web/ (default: cache)"
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="FINGERPRINT",
        help="what was found and is no secret, by its fingerprint; may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Writes the archive, and prints its sha256."""
    from bfcl_pipeline.archive.key_shapes import named_secrets
    from bfcl_pipeline.archive.make import make
    from bfcl_pipeline.archive.recorded_run import read_run
    from bfcl_pipeline.archive.software import find_checkout

    folder = Path(os.path.abspath(options.run_dir))  # noqa: PTH100  # a link stays: its place is the run's
    checkout = find_checkout()
    recorded = read_run(folder, checkout.schema)
    made = make(
        recorded,
        options.out or folder.with_name(f"{folder.name}.crate.zip"),
        checkout=checkout,
        cache=options.cache,
        data=options.data,
        snakemake=folder.parent.parent / ".snakemake",
        web=_web(recorded, options.cache / "web"),
        secrets=named_secrets(os.environ, _variables(recorded)),
        allowed=options.allow,
    )
    print(
        f"{made.path}: {made.members:,} files, {made.unpacked / 1e6:,.1f} MB in {made.size / 1e6:,.1f} MB"
    )
    print(f"sha256 {made.sha256}")
    print(f"\nPublish that hash beside the file. Anybody checks it: bfcl-pipeline verify {made.path.name}")
    return 0


def _variables(recorded: RecordedRun) -> set[str]:
    """The variables of the environment that may hold keys."""
    from bfcl_pipeline.config import KINDS

    named = {row.key for row in recorded.rows.values() if row.key is not None}
    return named | {kind.key for kind in KINDS.values() if kind.key is not None} | {"SERPAPI_API_KEY"}


def _web(recorded: RecordedRun, record: Path) -> list[Path]:
    """The files of the web record that the run used."""
    if recorded.config["web"] not in RECORDED_WEBS:
        return []
    from bfcl_pipeline.web.record import Record
    from bfcl_pipeline.web.used import used_files

    return used_files(Record(record), _searching(recorded), recorded.config["search_tool"])


def _searching(recorded: RecordedRun) -> Iterator[Response]:
    """The responses of the categories that search the web."""
    from bfcl_pipeline.tables import read_responses

    for job in recorded.run.jobs:
        if job.web is not None:
            yield from read_responses(
                recorded.folder / "responses" / job.folder / f"{job.category}.parquet"
            )
