"""A staged release of which only a few entries are left, so that reading its categories takes no time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, write_entries


def stage_few(folder: Path, staged: Path, entry_ids: Sequence[str]) -> Path:
    """Makes `folder` a staged release with the entries and the sessions before them; returns it.

    Only the categories of these entries are there. All else is that of `staged`, by links.
    """
    folder.mkdir()
    for path in staged.iterdir():
        if path.name != "entries":
            (folder / path.name).symlink_to(path.resolve())
    for category in dict.fromkeys(map(category_of, entry_ids)):
        entries = read_entries(entries_path(staged, category))
        asked = [entry for entry in entries if entry.entry_id in entry_ids]
        wanted = {*entry_ids, *(one for entry in asked for one in entry.depends_on)}
        write_entries(entries_path(folder, category), [one for one in entries if one.entry_id in wanted])
    return folder
