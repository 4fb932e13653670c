"""`bfcl-pipeline score`: scores tables of responses, without a model, a key or the network.

Executed calls have the answers of web APIs that the web cache has.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.ask.results.found_form import with_found_columns
from bfcl_pipeline.base.files import named_file
from bfcl_pipeline.benchmark.errata import errata_of_id, own_errata, propose_treatment
from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.benchmark.tables.text_forms import form_of, rows_about, write_any_form
from bfcl_pipeline.cli.form_options import add_form_options, form_choice
from bfcl_pipeline.cli.options import add_cache, add_data, add_errata
from bfcl_pipeline.judge.judging import read_responses, score_table, score_table_by_all_rules, start_workers
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.show.report.notes import own_errata_notes
from bfcl_pipeline.world.web.apis import ApisByMode

_ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = (
        "Parquet, CSV (.csv) or JSON Lines (.jsonl) with the columns entry_id, category, result_json; "
        "optional mode (fc or prompt), name_style (underscored or dotted), model, run, status. A mode or "
        "name style that the table lacks is found in the answers of each model"
    )
    parser.add_argument("responses", type=Path, nargs="+", metavar="RESPONSES", help=about)
    about = "file to write; its suffix chooses the form: .parquet, .csv or .jsonl"
    parser.add_argument("--out", type=Path, required=True, metavar="VERDICTS", help=about)
    add_form_options(parser)
    add_data(parser)
    add_cache(parser, "with web/, the recorded answers of web APIs for executed calls")
    parser.add_argument(
        "--rules",
        choices=[*(rules.value for rules in Rules), _ALL],
        default=Rules.OFFICIAL.value,
        help="rule set to apply (default: official); all: one row per response and rule set, with only "
        "the columns of a verdicts table",
    )
    add_errata(parser)
    about = "worker processes (default: chosen by the number of rows)"
    parser.add_argument("--processes", type=int, default=None, help=about)


def run(options: argparse.Namespace) -> int:
    """Scores every row and writes the table, in row order."""
    started = time.monotonic()
    form_of(options.out)
    files = [named_file(path) for path in options.responses]
    rows = sum(map(rows_about, files))
    with using_errata(options.errata, options.data), start_workers(rows, options.processes) as workers:
        responses = read_responses(files)
        responses = with_found_columns(responses, options.data, form_choice(options))
        apis = ApisByMode(options.data, options.cache / "web")
        if options.rules == _ALL:
            verdicts = score_table_by_all_rules(responses, options.data, workers, apis)
        else:
            verdicts = score_table(responses, options.data, Rules(options.rules), workers, apis)
        if options.rules in (_ALL, Rules.VERIFIED.value):
            _print_own_errata(responses)
    write_any_form(options.out, verdicts)
    _summarize(verdicts.slice(0, len(responses)), time.monotonic() - started, options.out)
    return 0


def _print_own_errata(responses: pa.Table) -> None:
    """Prints which entries of the responses are judged by the user's own errata, if there are any."""
    asked = set(responses.column("entry_id").to_pylist())
    rows = [
        {
            "file": erratum.file,
            "entry_id": erratum.entry_id,
            "treatment": propose_treatment(errata_of_id(erratum.entry_id)).value,
        }
        for erratum in own_errata()
        if erratum.entry_id in asked
    ]
    print("".join(f"{line}\n" for line in own_errata_notes(rows)), end="", file=sys.stderr)


def _summarize(verdicts: pa.Table, seconds: float, out: Path) -> None:
    """Prints the counts of one verdict per response; of several rule sets, the official ones."""
    valid = verdicts.column("valid")
    scored = len(valid) - valid.null_count
    right = sum(1 for value in valid.to_pylist() if value)
    share = f"{right / scored:.2%}" if scored else "none"
    left_out = verdicts.column("status").to_pylist().count(Status.LEFT_OUT.value)
    note = f", {left_out:,} left out by the errata" if left_out else ""
    print(
        f"{out}: {len(valid):,} rows, {scored:,} scored{note}, {right:,} valid ({share}) "
        f"in {seconds:.1f} s",
        file=sys.stderr,
    )
