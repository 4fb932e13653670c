"""Which entries a job runs: those selected of its categories, and the memory sessions that they need."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from bfcl_pipeline.ask.generation.chains import shard_of
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import did_you_mean
from bfcl_pipeline.benchmark.config import RunConfig, Selection, pick
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries


class Selectable(Protocol):
    """What the selection of an entry depends on."""

    @property
    def entry_id(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def depends_on(self) -> Sequence[str]: ...
    @property
    def prerequisite(self) -> bool: ...


S = TypeVar("S", bound=Selectable)


def select(data: Path, categories: Sequence[str], selection: Selection) -> list[Entry]:
    """The selected entries of `categories` in entry order, with the sessions that they depend on.

    data: the staged benchmark. Raises ConfigError if an entry id does not exist.
    """
    staged = [entry for category in categories for entry in read_entries(entries_path(data, category))]
    return shard_of(
        choose_entries(staged, categories, selection), selection.shard.number, selection.shard.of
    )


def choose_entries(staged: Sequence[S], categories: Sequence[str], selection: Selection) -> list[S]:
    """The selected ones of all entries of `categories`, with their sessions, of all shards together.

    Raises ConfigError if an entry id does not exist.
    """
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
    return [entry for entry in staged if entry.entry_id in wanted]


def check_entry_ids(run: RunConfig, data: Path) -> None:
    """Checks the entry ids of a run, as far as its categories are staged in `data`.

    Raises ConfigError, with similar ids, if one does not exist.
    """
    for job in {job.categories: job for job in run.jobs if job.selection.entry_ids}.values():
        if all(entries_path(data, category).is_file() for category in job.categories):
            select(data, job.categories, job.selection)


def _unknown_entry(entry_id: str, categories: Sequence[str], known: Collection[str]) -> str:
    meant = did_you_mean(entry_id, known, 3)
    return (
        f"{', '.join(categories)}: no entry {entry_id!r}.{meant} The {len(known)} ids are in data/entries."
    )
