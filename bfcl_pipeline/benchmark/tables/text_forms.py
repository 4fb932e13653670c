"""Tables in the form that the suffix of a file names: Parquet, CSV or JSON Lines.

Covers what users bring and take away; the tables of a run are always Parquet. CSV and JSON Lines have the
same columns: text stays text, a missing value is an empty field or null, a list is JSON in CSV.
"""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.files import open_regular, write_text
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.files import MAX_TABLE_BYTES, count_rows, read_table, write_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES

PARQUET, CSV, JSON_LINES = ".parquet", ".csv", ".jsonl"
FORMS = (PARQUET, CSV, JSON_LINES)
"""The suffixes of the forms. A file without a suffix is Parquet."""

_LARGEST_ROW = 1 << 30  # bytes of a row of CSV

_BATCH = 10_000  # rows that are Python objects at the same time while they are written as CSV

_TEXT_COLUMNS = [field.name for field in RESPONSES if field.type == pa.string()]


def form_of(path: Path) -> str:
    """One of FORMS. Raises ConfigError if the suffix names none of them."""
    suffix = path.suffix.lower() or PARQUET
    if suffix not in FORMS:
        raise ConfigError(f"{path}: expected a file name that ends in {', '.join(FORMS)}.")
    return suffix


def rows_about(path: Path) -> int:
    """About how many rows the table at `path` has. Raises TableError if it cannot be opened."""
    if form_of(path) == PARQUET:
        return count_rows(path)
    with _opened(path) as file:
        return sum(1 for _ in file)


def read_any_form(path: Path) -> pa.Table:
    """The table at `path`. Raises TableError if there is none, or naming the line that cannot be read."""
    form = form_of(path)
    if form == PARQUET:
        return read_table(path)
    with _opened(path) as file:
        return _read_csv(path, file) if form == CSV else _read_json_lines(path, file)


def write_any_form(path: Path, table: pa.Table) -> None:
    """Writes `table` in the form of `path`, atomically."""
    form = form_of(path)
    if form == PARQUET:
        write_table(path, table)
    else:
        write_text(path, csv_text(table) if form == CSV else _json_lines_text(table))


def _opened(path: Path) -> BinaryIO:
    try:
        return open_regular(path, MAX_TABLE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", error)
        raise TableError(f"{path}: cannot be read ({reason}). Check the path.") from error


def _read_csv(path: Path, file: BinaryIO) -> pa.Table:
    options = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(_TEXT_COLUMNS, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    try:
        return pyarrow.csv.read_csv(
            file,
            read_options=pyarrow.csv.ReadOptions(block_size=_LARGEST_ROW),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=options,
        )
    except (pa.ArrowException, ValueError) as error:
        raise TableError(f"{path}: not readable as CSV with a header ({error}).") from error


def _read_json_lines(path: Path, file: BinaryIO) -> pa.Table:
    rows: list[Mapping[str, Json]] = []
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path}, line {number}: not JSON ({error}).") from error
        if not isinstance(row, dict):
            raise TableError(f"{path}, line {number}: expected a JSON object, got {type(row).__name__}.")
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        return pa.table({name: pa.array([_cell(name, row.get(name)) for row in rows]) for name in names})
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise TableError(f"{path}: the values of a column are of several types ({error}).") from error


def _cell(name: str, value: Json) -> Json:
    """A value of a row; a result that is not text yet becomes its JSON."""
    return json.dumps(value) if name == "result_json" and isinstance(value, list | dict) else value


def csv_text(table: pa.Table) -> str:
    """`table` as CSV: a header, Unix line ends, floats in full, nulls as empty fields."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches(max_chunksize=_BATCH):
        for row in zip(*batch.to_pydict().values(), strict=True):
            writer.writerow(map(_csv_cell, row))
    return buffer.getvalue()


def _csv_cell(value: Json) -> Json:
    return json.dumps(value) if isinstance(value, bool | list | dict) else value


def _json_lines_text(table: pa.Table) -> str:
    rows = table.to_pylist()
    return "".join(f"{json.dumps(row, ensure_ascii=False, default=str)}\n" for row in rows)
