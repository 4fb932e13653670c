"""`bfcl-pipeline split`: divide the entries for training and testing, and show a run by side."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.environments import splits
from bfcl_pipeline.environments.setting import open_setting
from bfcl_pipeline.runs.run import open_run

TRAIN, SEED = 0.7, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("--train", type=float, metavar="SHARE", help=f"of each category (default: {TRAIN})")
    parser.add_argument("--seed", type=int, metavar="N", help=f"of the order of groups (default: {SEED})")
    parser.add_argument("--name", metavar="NAME", help="a frozen split, such as clusters-v1")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="write entry_id,category,side,group")
    parser.add_argument(
        "--run",
        type=Path,
        dest="run_dir",
        metavar="RUN",
        help=f"{RUN_HELP}: show the V4 scores of its models on both sides",
    )
    add_rules(parser, "with --run: rule set of the verdicts")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the sizes by category and what both sides share, or a run by side. Raises ConfigError."""
    setting = open_setting(options.data, Path("cache"), "simulated")
    entries = splits.v4_entries(setting)
    if options.name is None:
        share = TRAIN if options.train is None else options.train
        made = splits.split(entries, share, SEED if options.seed is None else options.seed)
    elif options.train is None and options.seed is None:
        made = splits.frozen_split(options.name, setting)
    else:
        raise ConfigError("--name is a frozen split: it has its own --train and --seed.")
    if options.out is not None:
        ids = {entry.entry_id: entry.category for entry in entries}
        lines = [f"{one},{name},{made.sides[one]},{made.groups[one]}" for one, name in ids.items()]
        write_text(options.out, "\n".join(["entry_id,category,side,group", *lines, ""]))
    if options.run_dir is not None:
        print(splits.scores_by_side(made, open_run(options.run_dir), options.rules))
        return 0
    print(_sizes(made, entries))
    shared = splits.shared_otherwise(made, entries)
    print(f"\n{len(set(made.groups.values())):,} groups of related entries, each on one side. Both share:")
    for what, count in shared.items():
        print(f"  {count} {what}")
    print(f"SHA-256 of the sides: {made.digest}")
    return 0


def _sizes(made: splits.Split, entries: list[Entry]) -> str:
    sizes = Counter((entry.category, made.sides[entry.entry_id]) for entry in entries)
    categories = dict.fromkeys(entry.category for entry in entries)
    rows = [(name, f"{sizes[name, 'train']}", f"{sizes[name, 'test']}") for name in categories]
    return text_table(("category", "train", "test"), rows)
