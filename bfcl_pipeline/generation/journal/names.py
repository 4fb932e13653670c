"""Where the journals of one model stand: in one folder, one for each job that asks it at the same time."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"exchanges(?:\.([1-9]\d*))?\.jsonl")


def journal_path(folder: Path, shard: int = 1) -> Path:
    """The journal of a model's job, or of shard `shard`, from 1, of several."""
    return folder / ("exchanges.jsonl" if shard == 1 else f"exchanges.{shard}.jsonl")


def journals_in(folder: Path) -> list[Path]:
    """The journals of a folder, that of the first shard first; empty if there are none."""
    named = [(_NAME.fullmatch(path.name), path) for path in folder.glob("exchanges*.jsonl")]
    found = [(int(name[1] or 1), path) for name, path in named if name is not None and path.is_file()]
    return [path for _, path in sorted(found)]


def siblings_of(journal: Path) -> list[Path]:
    """The other journals of its folder; none for a file that is not named as a journal."""
    if _NAME.fullmatch(journal.name) is None:
        return []
    return [path for path in journals_in(journal.parent) if path.name != journal.name]


def owner_path(journal: Path) -> Path:
    """Where the process that writes a journal is told."""
    return journal.with_name(f"{journal.name}.owner")
