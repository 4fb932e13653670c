"""Published leaderboard scores beside a run: CSV files as the official site offers them become a table.

Covers `data_overall.csv` (the columns are those of `definition.leaderboard_files.OVERALL`, in any order;
others are ignored, missing ones are null). The scores are shown as published: no verdict, interval, rank or
comparison of the run is made from them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.benchmark.config.published_scores import Source, identify_files, read_bounded
from bfcl_pipeline.benchmark.definition.leaderboard_files import OVERALL, OfficialColumn, Show
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.show.report.tables import spec

_SHARES = (Show.SCORE, Show.TOTAL)
_NAME, _OVERALL = "display_name", "overall"
_MISSING = ("", "N/A", "-")
_LONGEST = 300  # characters of a text
_MOST = 1e12  # of a cost, a latency or a delta


def _column(column: OfficialColumn) -> pa.Field[Any]:
    about = f"`{column.header}` of the file"
    if column.show is Show.TEXT:
        return spec.text(column.value, f"{about}; null if it has none", null=True)
    return spec.share(
        column.value, f"{about}{'' if column.show is Show.NUMBER else ', from 0 to 1'}", null=True
    )


PUBLISHED = spec.TableSpec(
    "published",
    "One row per model of each file, highest overall first.",
    [
        spec.text("date", "of the publication, from the config"),
        spec.text("source", "where the file is from, from the config"),
        spec.text("file", "its name"),
        spec.text("sha256", "of its content"),
        spec.count("published_rank", "`Rank` of the file; null if it has none", null=True),
        *map(_column, OVERALL.columns),
    ],
)


def write_published(tables: Path, sources: Iterable[Mapping[str, Any]]) -> None:
    """Writes `published.parquet` and `.csv` in `tables`, highest overall first; removes both without rows.

    Raises ConfigError if a file cannot be read, naming line and column.
    """
    rows = [row for source in identify_files(sources) for row in _rows(source)]
    rows.sort(key=lambda row: -row[_OVERALL])
    PUBLISHED.write(tables, pa.Table.from_pylist(rows, schema=PUBLISHED.schema))


def copy_published(tables: Path, recorded: Path) -> None:
    """Writes the same from the table of a recorded run. Raises TableError if it cannot be read."""
    PUBLISHED.write(
        tables, read_table(recorded, PUBLISHED.schema.names).cast(PUBLISHED.schema).combine_chunks()
    )


def _rows(source: Source) -> Iterable[dict[str, Any]]:
    path = Path(source["path"])
    try:
        text = read_bounded(path).decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
        lines = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"published: {path}: not readable as CSV ({error}).") from error
    headers = [header.strip() for header in reader.fieldnames or ()] if lines else []
    for column in OVERALL.columns:
        if headers.count(column.header) > 1:
            raise ConfigError(f"published: {path}: column {column.header!r} is there twice. Keep one.")
        if column.value in (_NAME, _OVERALL) and column.header not in headers:
            raise ConfigError(
                f"published: {path}: no column {column.header!r}. Expected data_overall.csv of the "
                "leaderboard, or tables/official/data_overall.csv of a run."
            )
    for number, line in enumerate(lines, start=1):
        values = {(header or "").strip(): cell for header, cell in line.items()}
        yield {
            "date": source["date"],
            "source": source["source"],
            "file": path.name,
            "sha256": source["sha256"],
            "published_rank": _rank(values.get("Rank")),
            **{column.value: _value(path, number, column, values) for column in OVERALL.columns},
        }


def _rank(cell: object) -> int | None:
    return int(cell) if isinstance(cell, str) and cell.isdecimal() and len(cell) < 10 else None


def _value(
    path: Path, number: int, column: OfficialColumn, values: Mapping[str, Any]
) -> str | float | None:
    """One cell. Raises ConfigError if a name or an overall is missing, or a number is none."""
    cell = values.get(column.header)
    text = cell.strip() if isinstance(cell, str) else ""
    if text in _MISSING and column.value not in (_NAME, _OVERALL):
        return None
    if column.show is Show.TEXT:
        value = cut(printable(text), _LONGEST)
        if value:
            return value
    else:
        score = _number(text.removesuffix("%"))
        if score is not None and column.show not in _SHARES:
            return score
        if score is not None and 0 <= score <= 100:
            return round(score / 100, 12)  # 77.47 / 100 is not 0.7747
    expected = {Show.TEXT: "a name", Show.NUMBER: "a number"}.get(column.show, "per cent, as 77.47%")
    raise ConfigError(
        f"published: {path}: model {number}, column {column.header!r}: expected {expected}, got "
        f"{cut(text, 60)!r}."
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) <= _MOST else None
