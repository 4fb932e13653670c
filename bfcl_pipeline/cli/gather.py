"""`bfcl-pipeline gather`: join what several servers of one model were asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.cli.options import add_data


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "shards",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folders with `responses` and `memory`, as `generate --shard` wrote them",
    )
    parser.add_argument("--category", nargs="+", required=True, metavar="NAME", help="V4 categories")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where to write the tables of responses"
    )
    parser.add_argument(
        "--sessions-out", type=Path, metavar="DIR", help="where to write the tables of memory sessions"
    )
    add_data(parser)


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry asked, in entry order, as one server would have left them."""
    from bfcl_pipeline.benchmark import CATEGORIES
    from bfcl_pipeline.tables import entries_path, read_table
    from bfcl_pipeline.tables.gather import gather
    from bfcl_pipeline.tables.schemas import RESPONSES, SESSIONS

    for category in args.category:
        entries = read_table(entries_path(args.data, category), ["entry_id"])
        order = list(map(str, entries.column("entry_id").to_pylist()))
        name = f"{category}.parquet"
        gather([shard / "responses" / name for shard in args.shards], args.out / name, order, RESPONSES)
        if args.sessions_out is not None and CATEGORIES[category].prerequisites:
            gather(
                [shard / "memory" / name for shard in args.shards],
                args.sessions_out / name,
                order,
                SESSIONS,
            )
    return 0
