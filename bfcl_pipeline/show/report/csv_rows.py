"""Rows of the CSV tables of a run, read with the standard library alone, so that commands start fast."""

import csv
from pathlib import Path


def csv_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table as texts; none if there is no such table. Raises csv.Error or ValueError."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    except FileNotFoundError:
        return []
