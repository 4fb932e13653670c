"""From the verdicts of a run to its tables on disk: Parquet, CSV and the official files."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.config import load_models
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.build import build_tables
from bfcl_pipeline.report.collect import read_run
from bfcl_pipeline.report.official import official_files
from bfcl_pipeline.report.standings import Standing, standings
from bfcl_pipeline.tables import write_table, write_text


def aggregate_run(
    run_dir: Path, data: Path, models: Path, rules: Rules, only: Collection[str] = ()
) -> list[Standing]:
    """Writes every table under `run_dir`/tables; the official files show the verdicts under `rules`.

    `models` is the models file; `only` names the models to tabulate, all that were judged unless told.
    Returns the standings it wrote. Raises TableError if there is nothing to write or the verdicts
    cannot be added up, ConfigError if the models file cannot be read.
    """
    records = read_run(run_dir, data, only)
    found = standings(records, load_models(models))
    chosen = [standing for standing in found if standing.rules is rules]
    if not chosen:
        there = ", ".join(sorted({standing.rules.value for standing in found}))
        raise TableError(
            f"{run_dir}/verdicts: no verdict under {rules.value} rules, only under {there}. "
            f"Score with --rules {rules.value}, or aggregate with --rules {there}."
        )
    tables = run_dir / "tables"
    for name, table in build_tables(records, found).items():
        write_table(tables / f"{name}.parquet", table)
        write_text(tables / f"{name}.csv", csv_text(table))
    for name, text in official_files(chosen).items():
        write_text(tables / "official" / name, text)
    return chosen


def csv_text(table: pa.Table) -> str:
    """`table` as CSV: a header, Unix line ends, floats in full, nulls as empty fields."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(_fields(row) for row in zip(*table.to_pydict().values(), strict=True))
    return buffer.getvalue()


def _fields(row: Sequence[object]) -> list[object]:
    return [str(value).lower() if isinstance(value, bool) else value for value in row]
