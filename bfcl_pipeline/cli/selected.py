"""Which entries `bfcl-pipeline generate` asks: those that its options leave of the categories.

Covers samples and entry ids, and the sessions that memory questions depend on.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.records import Entry


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declares the options."""
    parser.add_argument("--category", nargs="+", required=True, metavar="NAME", help="V4 categories")
    parser.add_argument(
        "--sample",
        nargs="+",
        metavar="[CATEGORY=]N",
        help="ask only N entries of each category, or of the one named, drawn by --seed",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--entry-ids", nargs="+", metavar="ID", help="ask only these entries")


def selected(entries: Sequence[Entry], args: argparse.Namespace) -> list[Entry]:
    """The entries that the options leave, in entry order, and the sessions they depend on.

    Raises ConfigError if an option names no entry, no category or no number.
    """
    from bfcl_pipeline.config.selection import pick

    chosen = [entry for entry in entries if not entry.prerequisite]
    if args.entry_ids is not None:
        known = {entry.entry_id for entry in chosen}
        for entry_id in args.entry_ids:
            if entry_id not in known:
                raise ConfigError(_unknown_entry(entry_id, args.category, known))
        asked = frozenset(args.entry_ids)
        chosen = [entry for entry in chosen if entry.entry_id in asked]
    for category, count in _samples(args).items():
        ids = [entry.entry_id for entry in chosen if entry.category == category]
        left_out = set(ids) - set(pick(ids, count, args.seed))
        chosen = [entry for entry in chosen if entry.entry_id not in left_out]
    wanted = {needed for entry in chosen for needed in entry.depends_on}
    wanted.update(entry.entry_id for entry in chosen)
    return [entry for entry in entries if entry.entry_id in wanted]


def _samples(args: argparse.Namespace) -> dict[str, int]:
    """How many entries of which category; what is not named is asked whole."""
    samples: dict[str, int] = {}
    for given in args.sample or ():
        category, named, number = given.rpartition("=")
        if named and category not in args.category:
            raise ConfigError(f"--sample {given}: {category!r} is not among --category.")
        if not number.isdecimal():
            raise ConfigError(f"--sample must be 0 or more, or CATEGORY=N; got {given}.")
        samples.update(dict.fromkeys([category] if named else args.category, int(number)))
    return samples


def _unknown_entry(entry_id: str, categories: Sequence[str], known: Collection[str]) -> str:
    near = difflib.get_close_matches(entry_id, sorted(known), n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    return (
        f"{', '.join(categories)}: no entry {entry_id!r}.{hint} The {len(known)} ids are in data/entries."
    )
