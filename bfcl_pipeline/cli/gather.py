"""`bfcl-pipeline gather`: merge the shards of one model's responses."""

import argparse
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.tables import entries_path, read_table
from bfcl_pipeline.benchmark.tables.files import gather
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, SESSIONS
from bfcl_pipeline.cli.options import add_data


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add = parser.add_argument
    about = "directories with `responses` and `memory`, as `generate --shard` writes them"
    add("shards", type=Path, nargs="+", metavar="DIR", help=about)
    add("-c", "--category", nargs="+", required=True, metavar="NAME", help="categories of the benchmark")
    add("--out", type=Path, required=True, metavar="DIR", help="directory for the tables of responses")
    add("--sessions-out", type=Path, metavar="DIR", help="directory for the tables of memory sessions")
    add_data(parser)


def run(args: argparse.Namespace) -> int:
    """Writes one row per entry, in entry order, as a single server would have led to."""
    for category in args.category:
        if category not in CATEGORIES:
            raise ConfigError(unknown_name("category", category, CATEGORIES))
        entries = read_table(entries_path(args.data, category), ["entry_id"])
        order = list(map(str, entries.column("entry_id").to_pylist()))
        name = f"{category}.parquet"
        gather([shard / "responses" / name for shard in args.shards], args.out / name, order, RESPONSES)
        if args.sessions_out is not None and CATEGORIES[category].prerequisites:
            sessions = [shard / "memory" / name for shard in args.shards]
            gather(sessions, args.sessions_out / name, order, SESSIONS)
    return 0
