"""Which entries a job runs: those selected of its categories, and the memory sessions that they need."""

import difflib
from collections.abc import Collection, Sequence
from pathlib import Path

from bfcl_pipeline.config import Selection, pick
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.generation.chains import shard_of
from bfcl_pipeline.records import Entry
from bfcl_pipeline.tables import entries_path, read_entries


def select(data: Path, categories: Sequence[str], selection: Selection) -> list[Entry]:
    """The selected entries of `categories` in entry order, with the sessions that they depend on.

    data: the staged benchmark. Raises ConfigError if an entry id does not exist.
    """
    staged = [entry for category in categories for entry in read_entries(entries_path(data, category))]
    questions = [entry for entry in staged if not entry.prerequisite]
    if selection.entry_ids:
        known = {entry.entry_id for entry in questions}
        for entry_id in selection.entry_ids:
            if entry_id not in known:
                raise ConfigError(_unknown_entry(entry_id, categories, known))
        ids = frozenset(selection.entry_ids)
        questions = [entry for entry in questions if entry.entry_id in ids]
    for category, count in selection.sample.items():
        ids = frozenset(entry.entry_id for entry in questions if entry.category == category)
        dropped = ids - frozenset(pick(ids, count, selection.seed))
        questions = [entry for entry in questions if entry.entry_id not in dropped]
    wanted = {needed for entry in questions for needed in entry.depends_on}
    wanted.update(entry.entry_id for entry in questions)
    chosen = [entry for entry in staged if entry.entry_id in wanted]
    return shard_of(chosen, selection.shard.number, selection.shard.of)


def _unknown_entry(entry_id: str, categories: Sequence[str], known: Collection[str]) -> str:
    near = difflib.get_close_matches(entry_id, sorted(known), n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    return (
        f"{', '.join(categories)}: no entry {entry_id!r}.{hint} The {len(known)} ids are in data/entries."
    )
