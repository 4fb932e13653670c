"""The files of one model's journals: in one directory, one journal for each shard."""

import re
from pathlib import Path

_NAME = re.compile(r"exchanges(?:\.([1-9]\d*))?\.jsonl")


def journal_path(folder: Path, shard: int = 1) -> Path:
    """The journal of shard `shard`, from 1."""
    return folder / ("exchanges.jsonl" if shard == 1 else f"exchanges.{shard}.jsonl")


def journals_in(folder: Path) -> list[Path]:
    """The journals in a directory, by shard number; empty if there are none."""
    matches = [(_NAME.fullmatch(path.name), path) for path in folder.glob("exchanges*.jsonl")]
    numbered = [(int(match[1] or 1), path) for match, path in matches if match and path.is_file()]
    return [path for _, path in sorted(numbered)]


def siblings_of(journal: Path) -> list[Path]:
    """The other journals in its directory; none for a file that is not named like a journal."""
    if _NAME.fullmatch(journal.name) is None:
        return []
    return [path for path in journals_in(journal.parent) if path.name != journal.name]


def lease_path(journal: Path) -> Path:
    """The lock file of the process that writes a journal."""
    return journal.with_name(f"{journal.name}.owner")
