"""Reads and writes `data/entries/<category>.parquet`; has the question of an example of each category."""

import json
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import named_file
from bfcl_pipeline.benchmark.definition.descriptions import DESCRIPTIONS
from bfcl_pipeline.benchmark.records import Entry, Json
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


def _dump(value: Json) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _load(text: str | None) -> Json:
    return None if text is None else json.loads(text)


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "entry_id": entry.entry_id,
        "category": entry.category,
        "turns_json": _dump(entry.turns),
        "functions_json": _dump(entry.functions),
        "truth_json": _dump(entry.truth),
        "prompt_format": entry.prompt_format,
        "base_entry_id": entry.base_entry_id,
        "apis": list(entry.apis),
        "initial_state_json": _dump(entry.initial_state),
        "held_out_json": _dump(entry.held_out) if entry.held_out else None,
        "depends_on": list(entry.depends_on),
        "prerequisite": entry.prerequisite,
        "scenario": entry.scenario,
        "source_json": _dump(entry.source),
    }


def _entry(path: Path, row: Mapping[str, Any]) -> Entry:
    try:
        held_out = _load(row["held_out_json"]) or {}
        return Entry(
            entry_id=row["entry_id"],
            category=row["category"],
            turns=tuple(tuple(turn) for turn in _load(row["turns_json"])),
            functions=tuple(_load(row["functions_json"])),
            truth=_load(row["truth_json"]),
            prompt_format=row["prompt_format"],
            base_entry_id=row["base_entry_id"],
            apis=tuple(row["apis"]),
            initial_state=_load(row["initial_state_json"]),
            held_out={turn: tuple(docs) for turn, docs in held_out.items()},
            depends_on=tuple(row["depends_on"]),
            prerequisite=row["prerequisite"],
            scenario=row["scenario"],
            source=_load(row["source_json"]),
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
