"""How `bfcl-pipeline generate` asks a model behind a wire: journal, budget, trial, what is left to ask.

Covers the options for it, and what holds the parts together for the time of one job.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.cli.progress import ProgressLine
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.generation import Conversed, SettingOf
    from bfcl_pipeline.generation.model import Wire
    from bfcl_pipeline.generation.tally import Tally
    from bfcl_pipeline.prompts import Texts
    from bfcl_pipeline.records import Entry


COLLECTED_AFTER = (100_000, 50, 50)
"""Objects made, and collections of younger ones, between two collections of garbage."""


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Declares the options; embedded models need none of them."""
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("cache/exchanges"),
        metavar="DIR",
        help="where exchanges are journaled (default: cache/exchanges)",
    )
    parser.add_argument(
        "--trial", type=int, default=1, help="which repetition of the benchmark (default: 1)"
    )
    parser.add_argument(
        "--budget", type=float, metavar="DOLLARS", help="what the run may cost with this model"
    )
    parser.add_argument(
        "--endpoint-from",
        type=Path,
        metavar="FILE",
        help="where `bfcl-pipeline serve` wrote the address of the server; for models served by the run",
    )
    parser.add_argument(
        "--progress-lines",
        action="store_true",
        help="tell how far it is in lines on standard output, not in a line in place on standard error",
    )
    parser.add_argument(
        "--requeue-out",
        type=Path,
        metavar="FILE",
        help="counts how often the job ended with entries that are to be asked again",
    )
    parser.add_argument(
        "--wait-for-owner",
        action="store_true",
        help="while another job writes the journal, wait, instead of giving up",
    )


def ask_remote(
    row: ModelRow, entries: Sequence[Entry], texts: Texts, setting_of: SettingOf, args: argparse.Namespace
) -> list[Conversed]:
    """Asks all `entries`, many at once; what the journal holds is not asked again."""
    return asyncio.run(_ask(row, entries, texts, setting_of, args))


async def _ask(
    row: ModelRow, entries: Sequence[Entry], texts: Texts, setting_of: SettingOf, args: argparse.Namespace
) -> list[Conversed]:
    from bfcl_pipeline.config import model_folder, trial_name
    from bfcl_pipeline.generation import Origin, converse_all
    from bfcl_pipeline.generation.journal import Journal, journal_path
    from bfcl_pipeline.generation.remote import Remote, Terms
    from bfcl_pipeline.generation.tally import Tally

    wire = _wire(row, args)
    name = trial_name(row.name, args.trial)
    terms = Terms(args.run_name, args.trial, row.input_price, row.output_price, args.budget)
    secrets = [os.environ[row.key]] if row.key and os.environ.get(row.key) else []
    # Trials and shards may be asked side by side.
    path = journal_path(args.cache / model_folder(name), args.shard.number)
    journal = Journal.open(path, secrets, wait=args.wait_for_owner)
    wire.open()
    tally = Tally()
    try:
        async with at_work(name, tally, args):
            remote = Remote(wire, journal, row.limits, terms, tally)
            return await converse_all(
                entries, remote, texts, setting_of, Origin(name, args.run_name, args.web, row.model), tally
            )
    finally:
        await wire.close()
        await journal.close()


def at_work(name: str, tally: Tally, args: argparse.Namespace) -> ProgressLine:
    """Tells how far a job is while its block runs, in which everything has been loaded."""
    from bfcl_pipeline.cli.progress import ProgressLine

    # What is loaded by now stays: to look through it again and again would cost answers their time.
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)
    if args.progress_lines:
        return ProgressLine(name, tally, sys.stdout, terminal=False)
    return ProgressLine(name, tally)


def _wire(row: ModelRow, args: argparse.Namespace) -> Wire:
    from bfcl_pipeline.models import build_wire

    if args.budget is not None and None in (row.input_price, row.output_price) and not row.served:
        raise ConfigError(
            f"{row.name}: a budget needs prices: give its row input_price and output_price (0: free)."
        )
    if row.served and args.endpoint_from is None:
        raise ConfigError(
            f"{row.name} is served by the run: start it with `snakemake`, or serve it yourself "
            f"(`bfcl-pipeline serve {row.name} --address-out FILE`) and give --endpoint-from FILE."
        )
    endpoint = None
    if args.endpoint_from is not None:
        from bfcl_pipeline.models.serving import ready_endpoint

        endpoint = ready_endpoint(args.endpoint_from)
    return build_wire(row, endpoint)


def asked_again(held: Sequence[Conversed], args: argparse.Namespace) -> None:
    """Says which entries have no answer, and has the next run ask those that may get one."""
    from bfcl_pipeline.config import requeued, trial_name
    from bfcl_pipeline.records import Status
    from bfcl_pipeline.tables.files import write_text

    statuses = Counter(one.response.status for one in held if one.response.status is not Status.ANSWERED)
    if not statuses:
        return
    name = trial_name(args.model, args.trial)
    told = ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
    example = next(one.response for one in held if one.response.status is not Status.ANSWERED)
    print(
        f"{name}: without an answer: {told}. The first, {example.entry_id}: {example.status_detail}",
        file=sys.stderr,
    )
    left = statuses[Status.INFRASTRUCTURE_ERROR]
    if not left or args.requeue_out is None:
        return
    write_text(args.requeue_out, f"{requeued(args.requeue_out) + 1}\n")
    print(f"{name}: the next run asks {left:,} of them again.", file=sys.stderr)
