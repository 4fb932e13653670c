"""`bfcl-pipeline generate`: ask one model all entries of some categories, write its responses."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.asking import add_asking, ask_remote, asked_again
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.replaying import add_replaying, observed, replay_remote, tell
from bfcl_pipeline.cli.selected import add_selection, selected
from bfcl_pipeline.cli.sharing import add_sharing, shared
from bfcl_pipeline.cli.surroundings import add_web, presented, settings
from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.generation import Conversed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("--model", required=True, help="name of a row of the models file")
    parser.add_argument(
        "--run", required=True, dest="run_name", help="name of the run, written in each row"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="where to write the tables of responses, CATEGORY.parquet each",
    )
    parser.add_argument(
        "--sessions-out",
        type=Path,
        metavar="DIR",
        help="memory categories: where to write the tables of sessions and snapshots, likewise",
    )
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="the models file (default: config/models.yaml)",
    )
    add_data(parser)
    add_selection(parser)
    add_web(parser)
    add_asking(parser)
    add_sharing(parser)
    add_replaying(parser)


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry asked, in entry order; one line on stderr says how fast."""
    from bfcl_pipeline.benchmark import CATEGORIES, unknown_name
    from bfcl_pipeline.config import KINDS, load_models, model_row
    from bfcl_pipeline.generation import generate
    from bfcl_pipeline.models import build_model
    from bfcl_pipeline.tables import entries_path, read_entries
    from bfcl_pipeline.tables.texts import read_texts

    row = model_row(load_models(args.models), args.model)
    _check_trial(row, args.trial)
    for category in args.category:
        if category not in CATEGORIES:
            raise ConfigError(unknown_name("category", category, CATEGORIES))
        _check_pair(row, category)
    staged = [
        entry for category in args.category for entry in read_entries(entries_path(args.data, category))
    ]
    entries = presented(shared(selected(staged, args), args), args)
    texts, setting_of = read_texts(args.data), settings(args)
    started = time.perf_counter()
    known = observed(args)
    if KINDS[row.kind].embedded:
        model, failed = build_model(row), known.failure_of
        held = list(generate(entries, model, texts, setting_of, args.run_name, args.web, failed))
        speed = len(held) / max(time.perf_counter() - started, 1e-9)
        name = f"{args.model} {', '.join(args.category)}"
        print(f"{name}: {len(held)} entries, {speed:,.0f} entries/s", file=sys.stderr)
    elif args.replay:
        held = replay_remote(row, entries, texts, setting_of, known.failure_of, args)
    else:
        held = ask_remote(row, entries, texts, setting_of, args)
    _write(held, args)
    if args.replay:
        tell(held, known, args)
    else:
        asked_again(held, args)
    return 0


def _check_trial(row: ModelRow, trial: int) -> None:
    """Refuses to repeat what is the same each time."""
    from bfcl_pipeline.config import EMBEDDED_KINDS

    if trial < 1:
        raise ConfigError(f"--trial must be 1 or more; got {trial}.")
    if trial > 1 and row.kind in EMBEDDED_KINDS:
        raise ConfigError(f"--trial {trial}: {row.name} is embedded and answers the same each time.")


def _write(held: Sequence[Conversed], args: argparse.Namespace) -> None:
    """A table of responses for each category and, where there are some, one of sessions."""
    from bfcl_pipeline.generation import responses
    from bfcl_pipeline.tables import write_responses
    from bfcl_pipeline.tables.sessions import write_sessions

    for category in args.category:
        its = [one for one in held if one.entry.category == category]
        if args.sessions_out is not None and _has_sessions(category):
            sessions = [one for one in its if one.entry.prerequisite]
            write_sessions(
                args.sessions_out / f"{category}.parquet",
                ((one.entry, one.response, one.snapshot) for one in sessions),
            )
        write_responses(args.out / f"{category}.parquet", responses(its))


def _has_sessions(category: str) -> bool:
    from bfcl_pipeline.benchmark import CATEGORIES

    return bool(CATEGORIES[category].prerequisites)


def _check_pair(row: ModelRow, category: str) -> None:
    """Refuses a category that a model of this mode cannot be asked."""
    from bfcl_pipeline.benchmark import CATEGORIES
    from bfcl_pipeline.records import Mode

    if CATEGORIES[category].prompt_only and row.mode is not Mode.PROMPT:
        raise ConfigError(
            f"{category} varies the system prompt, and {row.name} has mode {row.mode}. "
            "Ask it of a model of mode prompt."
        )
