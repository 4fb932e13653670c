"""How `bfcl-pipeline generate --replay` derives a run again: nothing is sent, nothing is fetched.

Covers the options for it, the journals that answer in a model's place, what is taken over from the tables
of the run (`generation.observed`), and what is told in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.generation import Conversed, Failure, FailureOf, SettingOf
    from bfcl_pipeline.generation.observed import Observed
    from bfcl_pipeline.prompts import Texts
    from bfcl_pipeline.records import Entry, Response, Status


def add_replaying(parser: argparse.ArgumentParser) -> None:
    """Declares the options."""
    parser.add_argument(
        "--replay",
        action="store_true",
        help="send and fetch nothing: answer from the journals and the record of the web alone",
    )
    parser.add_argument(
        "--observed",
        type=Path,
        metavar="RUN_DIR",
        help="with --replay: the results of the run, of which failures are taken over where an answer is "
        "missing",
    )


def observed(args: argparse.Namespace) -> Observed:
    """What the run that is derived again says of entries without an answer; nothing if none is named.

    Raises ConfigError if one is named and nothing is replayed.
    """
    from bfcl_pipeline.generation.observed import Observed

    if args.observed is not None and not args.replay:
        raise ConfigError("--observed is only for --replay: what is asked is not taken from elsewhere.")
    return Observed({} if args.observed is None else dict(_failures(args)))


def replay_remote(
    row: ModelRow,
    entries: Sequence[Entry],
    texts: Texts,
    setting_of: SettingOf,
    failed: FailureOf,
    args: argparse.Namespace,
) -> list[Conversed]:
    """What the model behind a wire did on all `entries`, as its journals have it."""
    from bfcl_pipeline.cli.asking import at_work
    from bfcl_pipeline.config import model_folder, trial_name
    from bfcl_pipeline.generation import Origin, converse_all
    from bfcl_pipeline.generation.journal import FolderReader
    from bfcl_pipeline.generation.recorded import Recorded
    from bfcl_pipeline.generation.tally import Tally
    from bfcl_pipeline.models import build_wire

    name = trial_name(row.name, args.trial)
    wire, tally = build_wire(row, offline=True), Tally()
    origin = Origin(name, args.run_name, args.web, row.model)

    async def derive() -> list[Conversed]:
        with FolderReader(args.cache / model_folder(name)) as journals:
            async with at_work(name, tally, args):
                asker = Recorded(wire, journals, args.trial, tally)
                return await converse_all(entries, asker, texts, setting_of, origin, tally, failed)

    return asyncio.run(derive())


def tell(held: Sequence[Conversed], known: Observed, args: argparse.Namespace) -> None:
    """Says how much was derived, taken over and not found, in lines on standard error."""
    from bfcl_pipeline.config import trial_name
    from bfcl_pipeline.records import Status
    from bfcl_pipeline.report.cells import plural

    responses = [one.response for one in held]
    statuses = {response.entry_id: response.status for response in responses}
    answered = sum(status is Status.ANSWERED for status in statuses.values())
    name = trial_name(args.model, args.trial)
    told = f"{name}: replayed {plural(len(held), 'entry', 'entries')}: {answered:,} answered"
    if known.taken_over:
        why = Counter(statuses[entry_id] for entry_id in known.taken_over)
        taken = plural(len(known.taken_over), "failure", "failures")
        told += f", {taken} taken over from the run ({_counted(why)})"
    print(f"{told}.", file=sys.stderr)
    missing = [one for one in responses if one.status is Status.NOT_RECORDED]
    if missing:
        first = missing[0]
        print(
            f"{name}: not recorded: {plural(len(missing), 'entry', 'entries')}. "
            f"The first, {first.entry_id}: {first.status_detail}",
            file=sys.stderr,
        )
    since = [entry_id for entry_id in known.failures if statuses.get(entry_id) is Status.ANSWERED]
    if since:
        print(
            f"{name}: without an answer in the run, and answered by what was recorded since: "
            f"{plural(len(since), 'entry', 'entries')}. The first: {since[0]}",
            file=sys.stderr,
        )


def _failures(args: argparse.Namespace) -> Iterator[tuple[str, Failure]]:
    """By entry id, what the tables of the run say of entries without an answer."""
    from bfcl_pipeline.config import model_folder, trial_name
    from bfcl_pipeline.generation import Failure
    from bfcl_pipeline.records import Status
    from bfcl_pipeline.tables import read_responses
    from bfcl_pipeline.tables.sessions import read_sessions

    folder = model_folder(trial_name(args.model, args.trial))
    for category in args.category:
        found: list[Response] = []
        sessions = args.observed / "memory" / folder / f"{category}.parquet"
        if sessions.is_file():
            found += [session.response for session in read_sessions(sessions)]
        responses = args.observed / "responses" / folder / f"{category}.parquet"
        if responses.is_file():
            found += read_responses(responses)
        for response in found:
            if response.status is not Status.ANSWERED:
                yield response.entry_id, Failure(response.status, response.status_detail)


def _counted(statuses: Mapping[Status, int]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
