"""Published leaderboard scores that are shown beside a run: the files, and the rows that they have.

Covers the key `published` of a config, and CSV files as the official site offers them (`data_overall.csv`):
the columns are those of `definition.leaderboard_files.OVERALL`, in any order; others are ignored, missing
ones are null. Columns `Date` and `Source` say of each row when and where it was published, instead of the
config.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import named_file, read_regular
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.benchmark.definition.leaderboard_files import OVERALL, OfficialColumn, Show

MAX_BYTES = 2**20
"""Size of a file of published scores; that of the official site has a few dozen kilobytes."""

Source = Mapping[str, str]
"""path and sha256 of one file; date and source, unless each row of the file has its own."""

_SHARES = (Show.SCORE, Show.TOTAL)
_SCORES = tuple(column for column in OVERALL.columns if column.show in _SHARES)
_ORIGIN = ("Date", "Source")
_MISSING = ("", "N/A", "-")
_LONGEST = 300  # characters of a text
_MOST = 1e12  # of a cost, a latency or a delta
_REMEDY = "Correct the file, or remove it from `published`."


def identify_files(published: Iterable[Mapping[str, Any]]) -> list[Source]:
    """The files of `published`, each with the sha256 of its content; their rows are checked.

    Raises ConfigError if a file or a row cannot be read, or if the config gives another sha256.
    """
    found: list[Source] = []
    for item in published:
        identified = {**item, "path": str(project_file(item["path"]))}
        content = _read(identified["path"])
        digest = hashlib.sha256(content).hexdigest()
        if item.get("sha256", digest) != digest:
            raise ConfigError(
                f"published: {item['path']}: expected sha256 {item['sha256']}, got {digest}. Restore the "
                "file, or remove `sha256`."
            )
        found.append({**identified, "sha256": digest})
        list(_rows(found[-1], content))
    return found


def published_scores(sources: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of files of published scores by the columns of the table `published`, highest overall first.

    Rows without an overall come last. Raises ConfigError as `identify_files` does.
    """
    rows = [row for item in identify_files(sources) for row in _rows(item, _read(item["path"]))]
    return sorted(rows, key=lambda row: -1.0 if row["overall"] is None else row["overall"], reverse=True)


def _read(path: str) -> bytes:
    try:
        return read_regular(named_file(Path(path)), MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(
            f"published: {path}: cannot be read ({reason}). Correct `path`, or remove the entry."
        ) from error


def _rows(source: Source, content: bytes) -> Iterator[dict[str, Any]]:
    path = Path(source["path"])
    try:
        reader = csv.DictReader(
            io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True, skipinitialspace=True
        )
        lines = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"published: {path}: not readable as CSV ({error}). {_REMEDY}") from error
    headers = [header.strip() for header in reader.fieldnames or ()] if lines else []
    for header in (*_ORIGIN, *(column.header for column in OVERALL.columns)):
        if headers.count(header) > 1:
            raise ConfigError(f"published: {path}: column {header!r} is there twice. Keep one.")
    if "Model" not in headers or not any(column.header in headers for column in _SCORES):
        raise ConfigError(
            f"published: {path}: no column 'Model', or none with scores, such as 'Overall Acc' or 'Memory "
            "KV'. Expected the columns of data_overall.csv of the leaderboard, or of "
            "tables/official/data_overall.csv of a run."
        )
    for number, line in enumerate(lines, start=1):
        values = {(header or "").strip(): cell for header, cell in line.items()}
        row = {column.value: _value(path, number, column, values) for column in OVERALL.columns}
        if all(row[column.value] is None for column in _SCORES):
            raise ConfigError(f"published: {path}: model {number} has no score. {_REMEDY}")
        yield {
            **_origin(source, number, values),
            "file": path.name,
            "sha256": source["sha256"],
            "published_rank": _rank(values.get("Rank")),
            **row,
        }


def _origin(source: Source, number: int, values: Mapping[str, Any]) -> dict[str, str]:
    """Date and source of a row. Raises ConfigError if neither the row nor the config has them."""
    day, where = (printable(values.get(name) or source.get(name.lower(), "")).strip() for name in _ORIGIN)
    try:
        date.fromisoformat(day)
    except ValueError:
        day = ""
    if not day or not where:
        raise ConfigError(
            f"published: {source['path']}: model {number} has no date (YYYY-MM-DD), or no source. Give "
            "`date` and `source` of the file in the config, or columns Date and Source in the file."
        )
    return {"date": day, "source": cut(where, _LONGEST)}


def _rank(cell: object) -> int | None:
    return int(cell) if isinstance(cell, str) and cell.isdecimal() and len(cell) < 10 else None


def _value(
    path: Path, number: int, column: OfficialColumn, values: Mapping[str, Any]
) -> str | float | None:
    """One cell. Raises ConfigError if the name is missing, or a number is none."""
    cell = values.get(column.header)
    text = cell.strip() if isinstance(cell, str) else ""
    if text in _MISSING and column.value != "display_name":
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
        f"{cut(text, 60)!r}. {_REMEDY}"
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) <= _MOST else None


def dates_as_text(published: object) -> object:
    """The value of `published` with dates, which YAML reads without quotes, as YYYY-MM-DD."""
    if not isinstance(published, list):
        return published
    return [
        {key: value.isoformat() if isinstance(value, date) else value for key, value in item.items()}
        if isinstance(item, Mapping)
        else item
        for item in published
    ]
