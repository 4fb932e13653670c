"""The example of each category: the question of one entry, from the staged release."""

import json
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition.descriptions import DESCRIPTIONS
from bfcl_pipeline.benchmark.tables.entries import entries_path
from bfcl_pipeline.benchmark.tables.files import read_table


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
