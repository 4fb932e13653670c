"""From the verdicts of a run to its tables on disk: Parquet, CSV and the official files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.config import load_models
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.report.build import build_tables
from bfcl_pipeline.report.build_memory import memory_domains, memory_use
from bfcl_pipeline.report.build_trials import trials
from bfcl_pipeline.report.build_web import web_failures, web_hops
from bfcl_pipeline.report.collect import read_run
from bfcl_pipeline.report.collect_agentic import AgenticRecords, read_agentic
from bfcl_pipeline.report.columns import TRIALS_TABLE
from bfcl_pipeline.report.official import official_files
from bfcl_pipeline.report.standings import Standing, on_the_real_web, standings
from bfcl_pipeline.tables import write_table, write_text

_AGENTIC: Mapping[str, Callable[[AgenticRecords], Iterator[dict[str, Any]]]] = {
    "memory_domains": memory_domains,
    "memory_use": memory_use,
    "web_hops": web_hops,
    "web_failures": web_failures,
}
"""What makes the rows of each table of AGENTIC_TABLES, of one model."""


def aggregate_run(
    run_dir: Path, data: Path, models: Path, rules: Rules, only: Collection[str] = ()
) -> list[Standing]:
    """Writes every table under `run_dir`/tables; the official files show the verdicts under `rules`.

    Of the tables on trials, memory and web search, those that have a row. In the official files a web
    category whose web is not the real one was not evaluated.

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
    of_all = build_tables(records, found)
    for name, table in of_all.items():
        _write(tables, name, table)
    of_some = {
        "trials": build_trials(of_all["leaderboard"], records.run),
        **build_agentic(read_agentic(run_dir, data, records), records.run),
    }
    for name, table in of_some.items():
        if len(table):
            _write(tables, name, table)
        else:
            _remove(tables, name)
    for name, text in official_files(on_the_real_web(chosen, records)).items():
        write_text(tables / "official" / name, text)
    return chosen


def build_trials(leaderboard: pa.Table, run: str | None) -> pa.Table:
    """The table `trials`; without a row where no model has several."""
    rows = [{"run": run, **row} for row in trials(leaderboard.to_pylist())]
    return pa.Table.from_pylist(rows, schema=TRIALS_TABLE)


def build_agentic(models: Iterable[AgenticRecords], run: str | None) -> dict[str, pa.Table]:
    """Every table of `report.agentic_columns.AGENTIC_TABLES` by name; one may have no row."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in AGENTIC_TABLES}
    for records in models:
        for name, found in rows.items():
            found += ({"run": run, **row} for row in _AGENTIC[name](records))
    return {
        name: pa.Table.from_pylist(rows[name], schema=schema) for name, schema in AGENTIC_TABLES.items()
    }


def _write(tables: Path, name: str, table: pa.Table) -> None:
    write_table(tables / f"{name}.parquet", table)
    write_text(tables / f"{name}.csv", csv_text(table))


def _remove(tables: Path, name: str) -> None:
    """What an earlier configuration left must not be shown as this one's."""
    for kind in ("parquet", "csv"):
        (tables / f"{name}.{kind}").unlink(missing_ok=True)


def csv_text(table: pa.Table) -> str:
    """`table` as CSV: a header, Unix line ends, floats in full, nulls as empty fields."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(_fields(row) for row in zip(*table.to_pydict().values(), strict=True))
    return buffer.getvalue()


def _fields(row: Sequence[object]) -> list[object]:
    return [str(value).lower() if isinstance(value, bool) else value for value in row]
