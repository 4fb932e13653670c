"""`bfcl-pipeline generate`: ask one model all entries of one category, write its responses."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.surroundings import add_web, presented, settings
from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.benchmark import Category
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.records import Entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("--model", required=True, help="name of a row of the models file")
    parser.add_argument("--category", required=True, help="one V4 category")
    parser.add_argument(
        "--run", required=True, dest="run_name", help="name of the run, written in each row"
    )
    parser.add_argument("--out", type=Path, required=True, help="the table of responses to write (Parquet)")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="the models file (default: config/models.yaml)",
    )
    add_data(parser)
    parser.add_argument("--sample", type=int, metavar="N", help="ask only N entries, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--entry-ids", nargs="+", metavar="ID", help="ask only these entries")
    parser.add_argument(
        "--sessions-out",
        type=Path,
        metavar="FILE",
        help="memory categories: the table of sessions and snapshots to write (Parquet)",
    )
    add_web(parser)


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry asked, in entry order; one line on stderr says how fast."""
    from bfcl_pipeline.benchmark import CATEGORIES, Check, unknown_name
    from bfcl_pipeline.config import load_models, model_row
    from bfcl_pipeline.generation import generate, responses
    from bfcl_pipeline.models import build_model
    from bfcl_pipeline.tables import entries_path, read_entries, write_responses
    from bfcl_pipeline.tables.sessions import write_sessions
    from bfcl_pipeline.tables.texts import read_texts

    if args.category not in CATEGORIES:
        raise ConfigError(unknown_name("category", args.category, CATEGORIES))
    row = model_row(load_models(args.models), args.model)
    _check_pair(row, CATEGORIES[args.category])
    entries = _selected(read_entries(entries_path(args.data, args.category)), args)
    texts, setting_of = read_texts(args.data), settings(args)
    web = args.web if CATEGORIES[args.category].check is Check.WEB_SEARCH else None
    started = time.perf_counter()
    held = list(generate(presented(entries, args), build_model(row), texts, setting_of, args.run_name, web))
    seconds = time.perf_counter() - started
    if args.sessions_out is not None:
        sessions = [one for one in held if one.entry.prerequisite]
        write_sessions(args.sessions_out, ((one.entry, one.response, one.snapshot) for one in sessions))
    write_responses(args.out, responses(held))
    speed = len(held) / max(seconds, 1e-9)
    print(f"{args.model} {args.category}: {len(held)} entries, {speed:,.0f} entries/s", file=sys.stderr)
    return 0


def _check_pair(row: ModelRow, category: Category) -> None:
    """Refuses a category that a model of this mode cannot be asked."""
    from bfcl_pipeline.records import Mode

    if category.prompt_only and row.mode is not Mode.PROMPT:
        raise ConfigError(
            f"{category.name} varies the system prompt, and {row.name} has mode {row.mode}. "
            "Ask it of a model of mode prompt."
        )


def _selected(entries: Sequence[Entry], args: argparse.Namespace) -> list[Entry]:
    """The entries that --entry-ids and --sample leave, in entry order, and the sessions they depend on."""
    from bfcl_pipeline.config.selection import pick

    chosen = [entry for entry in entries if not entry.prerequisite]
    if args.entry_ids is not None:
        known = {entry.entry_id for entry in chosen}
        for entry_id in args.entry_ids:
            if entry_id not in known:
                raise ConfigError(_unknown_entry(entry_id, args.category, known))
        chosen = [entry for entry in chosen if entry.entry_id in args.entry_ids]
    if args.sample is not None:
        if args.sample < 0:
            raise ConfigError(f"--sample must be 0 or more; got {args.sample}.")
        taken = frozenset(pick([entry.entry_id for entry in chosen], args.sample, args.seed))
        chosen = [entry for entry in chosen if entry.entry_id in taken]
    wanted = {needed for entry in chosen for needed in entry.depends_on}
    wanted.update(entry.entry_id for entry in chosen)
    return [entry for entry in entries if entry.entry_id in wanted]


def _unknown_entry(entry_id: str, category: str, known: set[str]) -> str:
    import difflib

    near = difflib.get_close_matches(entry_id, sorted(known), n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    return f"{category} has no entry {entry_id!r}.{hint} Its {len(known)} ids are in data/entries."
