"""Published leaderboard scores that are shown beside a run: which files, of which date, from where.

Covers the key `published` of a config. What the files contain is the matter of `report.tables.published`.
"""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import named_file, read_regular

MAX_BYTES = 2**20
"""Size of a file of published scores; that of the official site has a few dozen kilobytes."""

Source = Mapping[str, str]
"""path, date, source and sha256 of one file."""


def identify_files(published: Iterable[Mapping[str, Any]]) -> list[Source]:
    """The files of `published`, each with the sha256 of its content.

    Raises ConfigError if a file cannot be read, or has another sha256 than the config gives.
    """
    return [{**item, "sha256": _sha256(item)} for item in published]


def _sha256(item: Mapping[str, Any]) -> str:
    content = read_bounded(Path(item["path"]))
    digest = hashlib.sha256(content).hexdigest()
    if item.get("sha256", digest) != digest:
        raise ConfigError(
            f"published: {item['path']}: expected sha256 {item['sha256']}, got {digest}. Restore the file, "
            "or remove `sha256`."
        )
    return digest


def read_bounded(path: Path) -> bytes:
    """The content of a file of published scores. Raises ConfigError if it is missing or too large."""
    try:
        return read_regular(named_file(path), MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(
            f"published: {path}: cannot be read ({reason}). Correct `path`, or remove the entry."
        ) from error


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
