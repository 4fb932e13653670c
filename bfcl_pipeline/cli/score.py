"""`bfcl-pipeline score`: a table of responses in, verdicts out. No model, no key, no network."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.records import Rules

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
        help="who judges (default: official); both: one row per response and rule set, and only the "
        "columns of a verdicts table",
    )
    parser.add_argument("--processes", type=int, default=None, help="default: as many as pay off")


def run(options: argparse.Namespace) -> int:
    """Judges every row and writes the table, in row order."""
    import pyarrow as pa

    from bfcl_pipeline.tables import count_rows, read_table, write_table
    from bfcl_pipeline.tables.verdicts import add_verdicts, judge_table, verdict_table, workers

    started = time.monotonic()
    chosen = list(Rules) if options.rules == _BOTH else [Rules(options.rules)]
    with workers(sum(map(count_rows, options.responses)), options.processes) as others:
        responses = pa.concat_tables(
            [read_table(path) for path in options.responses], promote_options="default"
        )
        verdicts = judge_table(responses, options.data, chosen, others)
    if options.rules == _BOTH:
        write_table(options.out, verdict_table(responses, verdicts))
    else:
        write_table(options.out, add_verdicts(responses, verdicts[chosen[0]]))
    _summarize(verdicts[chosen[0]], time.monotonic() - started, options.out)
    return 0


def _summarize(verdicts, seconds: float, out: Path) -> None:  # type: ignore[no-untyped-def]
    valid = verdicts.column("valid")
    judged = len(valid) - valid.null_count
    right = sum(1 for value in valid.to_pylist() if value)
    share = f"{right / judged:.2%}" if judged else "none"
    print(
        f"{out}: {len(valid):,} rows, {judged:,} judged, {right:,} valid ({share}) in {seconds:.1f} s",
        file=sys.stderr,
    )
