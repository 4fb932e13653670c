"""Which part of its entries one `bfcl-pipeline generate` asks, where servers share those of a model."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bfcl_pipeline.records import Entry


class Shard(NamedTuple):
    """One of `of` parts."""

    number: int  # from 1
    of: int


def add_sharing(parser: argparse.ArgumentParser) -> None:
    """Declares the option."""
    parser.add_argument(
        "--shard",
        type=_shard,
        default=Shard(1, 1),
        metavar="I/N",
        help="ask only part I of N: entries that depend on each other stay together (default: 1/1, all)",
    )


def shared(entries: Sequence[Entry], args: argparse.Namespace) -> list[Entry]:
    """The entries of this part."""
    from bfcl_pipeline.generation.chains import shard_of

    return shard_of(entries, args.shard.number, args.shard.of)


def _shard(text: str) -> Shard:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.number <= shard.of:
        raise argparse.ArgumentTypeError(f"expected I/N with I from 1 to N, for example 2/4; got {text!r}")
    return shard
