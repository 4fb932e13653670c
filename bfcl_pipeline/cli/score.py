"""`bfcl-pipeline score`: scores tables of responses, without a model, a key or the network."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.records import Rules

if TYPE_CHECKING:
    import pyarrow as pa

_BOTH = "both"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "responses",
        type=Path,
        nargs="+",
        metavar="RESPONSES.parquet",
        help="columns entry_id, category, mode (fc or prompt), result_json; optional model, run, "
        "name_style (underscored or dotted), status",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="VERDICTS.parquet")
    add_data(parser)
    parser.add_argument(
        "--rules",
        choices=[*(rules.value for rules in Rules), _BOTH],
        default=Rules.OFFICIAL.value,
        help="rule set to apply (default: official); both: one row per response and rule set, with only "
        "the columns of a verdicts table",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=None,
        help="worker processes (default: chosen by the number of rows)",
    )


def run(options: argparse.Namespace) -> int:
    """Scores every row and writes the table, in row order."""
    import pyarrow as pa

    from bfcl_pipeline.judging import score_table, score_table_by_all_rules, start_workers
    from bfcl_pipeline.tables import count_rows, read_table, write_table

    started = time.monotonic()
    with start_workers(sum(map(count_rows, options.responses)), options.processes) as workers:
        responses = pa.concat_tables(
            [read_table(path) for path in options.responses], promote_options="default"
        )
        if options.rules == _BOTH:
            verdicts = score_table_by_all_rules(responses, options.data, workers)
        else:
            verdicts = score_table(responses, options.data, Rules(options.rules), workers)
    write_table(options.out, verdicts)
    _summarize(verdicts.slice(0, len(responses)), time.monotonic() - started, options.out)
    return 0


def _summarize(verdicts: pa.Table, seconds: float, out: Path) -> None:
    """Prints the counts of one verdict per response; of both rule sets, the official ones."""
    valid = verdicts.column("valid")
    scored = len(valid) - valid.null_count
    right = sum(1 for value in valid.to_pylist() if value)
    share = f"{right / scored:.2%}" if scored else "none"
    print(
        f"{out}: {len(valid):,} rows, {scored:,} scored, {right:,} valid ({share}) in {seconds:.1f} s",
        file=sys.stderr,
    )
