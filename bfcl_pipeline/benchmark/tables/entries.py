"""Reads and writes `data/entries/<category>.parquet`; has the question of an example of each category."""

import json
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import named_file
from bfcl_pipeline.benchmark.definition.descriptions import DESCRIPTIONS
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables.files import read_table, write_table
from bfcl_pipeline.benchmark.tables.schemas import ENTRIES


def entries_path(data: Path, category: str) -> Path:
    """The path of the entries of `category` in the data folder, where a file of it may be a link."""
    return named_file(data / "entries" / f"{category}.parquet")


def write_entries(path: Path, entries: Iterable[Entry]) -> None:
    """Writes entries with the columns of `schemas.ENTRIES`, atomically, in the order given."""
    write_table(path, pa.Table.from_pylist([_row(entry) for entry in entries], schema=ENTRIES))


def read_entries(path: Path, entry_ids: Container[str] | None = None) -> list[Entry]:
    """The entries at `path` (those in `entry_ids`, if given), in the release's order.

    Raises TableError if the benchmark is not staged there or an entry cannot be read.
    """
    check_staged(path)
    rows = read_table(path, ENTRIES.names).to_pylist()
    return [_entry(path, row) for row in rows if entry_ids is None or row["entry_id"] in entry_ids]


def check_staged(path: Path) -> None:
    """Raises TableError, with the command that stages the benchmark, if there is no table at `path`."""
    if not path.is_file():
        stage = f"bfcl-pipeline stage --data {path.parent.parent}"
        raise TableError(f"{path}: no such table. Stage the benchmark first: {stage}")


def _row(entry: Entry) -> dict[str, Any]:
    row = {}
    for name in ENTRIES.names:
        value = getattr(entry, name.removesuffix("_json"))
        if name.endswith("_json"):
            missing = value is None or (name == "held_out_json" and not value)
            value = None if missing else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        row[name] = value
    return row


def _entry(path: Path, row: Mapping[str, Any]) -> Entry:
    try:
        values = {
            name.removesuffix("_json"): (
                json.loads(value) if name.endswith("_json") and value is not None else value
            )
            for name, value in row.items()
        }
        return Entry(
            **{
                **values,
                "turns": tuple(tuple(turn) for turn in values["turns"]),
                "functions": tuple(values["functions"]),
                "apis": tuple(values["apis"]),
                "held_out": {turn: tuple(docs) for turn, docs in (values["held_out"] or {}).items()},
                "depends_on": tuple(values["depends_on"]),
            }
        )
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{path}: entry {row.get('entry_id')!r} cannot be read ({error}). Stage the release again."
        ) from error


def read_examples(data: Path, categories: Iterable[str] = DESCRIPTIONS) -> dict[str, str]:
    """The first line of what the user says first in the example of each category that is staged.

    Raises TableError if a table of entries is there and cannot be read.
    """
    examples = {}
    for category in categories:
        path = entries_path(data, category)
        if path.is_file() and (line := _first_line(path, DESCRIPTIONS[category].example)):
            examples[category] = line
    return examples


def _first_line(path: Path, entry_id: str) -> str:
    """The first line of the first message of the user; empty if the entry or the message is not there."""
    for row in read_table(path, ["entry_id", "turns_json"]).to_pylist():
        if row["entry_id"] == entry_id:
            return _line_of_user(path, row["turns_json"])
    return ""


def _line_of_user(path: Path, turns_json: str) -> str:
    try:
        messages = [message for turn in json.loads(turns_json) for message in turn]
        texts = [str(message["content"]) for message in messages if message["role"] == "user"]
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(
            f"{path}: an entry cannot be read ({error!r}). Stage the release again."
        ) from error
    return next((line.strip() for text in texts for line in text.splitlines() if line.strip()), "")
