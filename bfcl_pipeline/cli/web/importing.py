"""`bfcl-pipeline web import`: merges the record of somebody else into the web cache, after checking it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.base.text import plural, printable, text_table
from bfcl_pipeline.cli.options import print_to_stderr
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.cli.web.options import add_processes, add_record
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.importing import Conflicts, ImportDone, ImportPlan, import_record

HELP = "merge a record of the web from somebody else, after checking all of it"

SHOWN = 20
"""The most lines of each list that are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    parser.description = (
        "Check a record of the web and merge it into the web cache. Every outcome and cassette is checked "
        "before anything is written; if one is damaged, or an outcome does not follow from its cassette, "
        "nothing is imported. Exit status: 0, all was imported; 1, something was refused."
    )
    parser.add_argument(
        "source",
        type=Path,
        metavar="SOURCE",
        help="a web cache, a folder with one in web/ or cache/web/, the archive of a run, or a zip, tar "
        "or tar.gz file of a web cache",
    )
    add_record(parser)
    parser.add_argument(
        "--conflicts",
        type=Conflicts,
        choices=[*Conflicts],
        default=Conflicts.KEEP,
        metavar="{" + ",".join(Conflicts) + "}",
        help="which outcome of a request stays if the records differ: keep, ours, from which finished runs "
        "replay; newer or older, by the time of the recording (default: keep)",
    )
    parser.add_argument(
        "--partial", action="store_true", help="import the rest although something was refused"
    )
    add_processes(parser)
    parser.add_argument("--dry-run", action="store_true", help="check and print, but write nothing")


def run(options: argparse.Namespace) -> int:
    """Imports and prints what was found. Returns 1 if something was refused."""
    from bfcl_pipeline.base.key_shapes import named_secrets
    from bfcl_pipeline.runs.archived.secrets import Search
    from bfcl_pipeline.runs.archived.web_record import opened_record
    from bfcl_pipeline.world.executables.apis import PLACEHOLDERS

    with opened_record(options.source) as record:
        plan, done = import_record(
            record.folder,
            WebCache(options.record),
            options.conflicts,
            scan=Search(named_secrets(os.environ, {"SERPAPI_API_KEY", *PLACEHOLDERS})).lines,
            partial=options.partial,
            dry_run=options.dry_run,
            processes=options.processes,
            progress=PlainCount("checked outcomes").show,
            writing=PlainCount("written outcomes").show,
        )
        named = record.named
    others = plan.others + record.packed_others
    print(text_table(("outcomes of the record", "number"), _rows(plan)))
    if others:
        print(f"Other files in {printable(str(options.source))}, not read: {others:,}.")
    _print_conflicts(plan)
    _print_list("Without the cassette that they name", map(named, plan.missing))
    _print_list(
        "Recorded by another version, whose cassettes decide nothing here", map(named, plan.undecided)
    )
    _print_list("Secrets, or texts that look like secrets", plan.secrets)
    for line in plan.refused[:SHOWN]:
        print_to_stderr(f"Refused: {named(line)}")
    if len(plan.refused) > SHOWN:
        print_to_stderr(f"... and {len(plan.refused) - SHOWN:,} more")
    print(_conclusion(options, plan, done))
    return 1 if plan.refused else 0


def _rows(plan: ImportPlan) -> list[tuple[str, str]]:
    counts = {
        "new": len(plan.new),
        "equal": plan.same + len(plan.completed) + len(plan.renewed),
        "  of these, cassette added": len(plan.completed),
        "  of these, recording replaced": len(plan.renewed),
        "conflicts, ours kept": len(plan.kept),
        "conflicts, ours replaced": len(plan.replaced),
        "refused": len(plan.refused),
    }
    return [(name, f"{count:,}") for name, count in counts.items() if count or not name.startswith(" ")]


def _print_conflicts(plan: ImportPlan) -> None:
    lines = [
        f"{printable(str(pair.ours.key))}\n    ours:   {pair.ours.recording}{' (kept)' if kept else ''}\n"
        f"    theirs: {pair.theirs.recording}{'' if kept else ' (taken)'}"
        for pairs, kept in ((plan.kept, True), (plan.replaced, False))
        for pair in sorted(pairs, key=lambda pair: str(pair.ours.key))[:SHOWN]
    ]
    _print_list("Conflicts", lines, len(plan.kept) + len(plan.replaced))


def _print_list(title: str, lines: Iterable[str], count: int | None = None) -> None:
    lines = list(lines)
    if lines:
        count = len(lines) if count is None else count
        print(f"\n{title}: {count:,}.")
        for line in lines[:SHOWN]:
            print(f"  {line}")
        if count > SHOWN:
            print(f"  ... and {count - SHOWN:,} more")


def _conclusion(options: argparse.Namespace, plan: ImportPlan, done: ImportDone | None) -> str:
    if done is None and options.dry_run:
        would = plural(plan.writes, "outcome would be written", "outcomes would be written")
        if plan.refused and not options.partial:
            return (
                "\nNothing was written (--dry-run). Nothing would be imported, because of what is refused."
            )
        return f"\nNothing was written (--dry-run): {would}."
    if done is None:
        return "\nNothing was imported. Ask for the record again, or import the rest of it with --partial."
    text = f"\n{options.record}: {done.added:,} added, {done.replaced:,} replaced."
    if done.replaced:
        text += "\nRuns that used a replaced outcome replay from the new one: their answers may differ."
    if done.meanwhile:
        text += f"\nRecorded by a run in the meantime, and left alone: {done.meanwhile:,}."
    return text
