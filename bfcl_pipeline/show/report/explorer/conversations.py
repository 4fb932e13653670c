"""The conversations of a run as blocks of the page's data.

A category has one block for its entries, and one for the answers of each model. Covers which conversations
are shown. What is in them, and how long texts may be, is decided in `transcripts`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from bfcl_pipeline.base.workers import process_pool
from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import texts_path
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback import Conditions, read_conditions
from bfcl_pipeline.show.report.explorer.index import Index, IndexedCategory
from bfcl_pipeline.show.report.explorer.packing import Block, records_block
from bfcl_pipeline.show.transcripts.as_json import as_json
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.run import answer_records

Told: TypeAlias = Callable[[int, int], None]
"""Is told how many conversations are done, and how many there are."""


def silent(done: int, count: int) -> None:
    """Tells nobody."""


PER_PROCESS = 1_500
"""Conversations for each of which the start of another process saves time."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One block to make."""

    name: str
    category: str
    entry_ids: Collection[str]  # also those of sessions
    model: str | None = None  # whose answers are recorded; None: the entries are

    @property
    def size(self) -> int:
        """How many records it has."""
        return len(self.entry_ids)


def conversations(
    run: Run,
    index: Index,
    shown: ShownEntries,
    pairs: Collection[tuple[str, str]] = (),
    *,
    processes: int | None = None,
    per_process: int = PER_PROCESS,
    told: Told = silent,
) -> Iterator[tuple[str, Block]]:
    """The blocks by name: `e3` has the entries of category 3 of the index, `a1c3` the answers of model 1.

    A block maps ids of entries to records. A category has no blocks if it is not staged, or if no
    conversation of it is shown. The blocks and their order do not depend on the number of processes.

    Args:
        run: the run.
        index: its entries.
        shown: whose conversations are wanted.
        pairs: models that are compared: of both, the conversations in which one of them is not right.
        processes: the most that make the blocks; None: as many as the machine has processors.
        per_process: conversations for each of which there is one process.
        told: called with the number of conversations that are done, and of all.

    Raises:
        ConfigError: the recorded config of the run cannot be read.
        ErrataError: the run's own errata are malformed or do not fit the release.
        TableError: a table of the run or of the release cannot be read.
    """
    if shown is ShownEntries.NONE or not texts_path(run.data).is_file():
        return
    maker = _Maker(run, read_conditions(run))
    tasks = list(_tasks(index, shown, pairs, maker))
    count, done = sum(task.size for task in tasks), 0
    most = processes or os.cpu_count() or 1
    with (
        using_errata(run.errata, run.data),
        _made(maker, tasks, min(most, 1 + count // per_process)) as blocks,
    ):
        for task, block in zip(tasks, blocks, strict=True):
            done += task.size
            told(done, count)
            if block is not None:
                yield task.name, block


@contextmanager
def _made(maker: _Maker, tasks: Sequence[_Task], processes: int) -> Iterator[Iterable[Block | None]]:
    """The blocks of the tasks, in their order."""
    if processes <= 1:
        yield map(maker.block, tasks)
        return
    with process_pool(processes, _keep, maker) as pool:
        yield pool.map(_block, tasks)


def _tasks(
    index: Index, shown: ShownEntries, pairs: Collection[tuple[str, str]], maker: _Maker
) -> Iterator[_Task]:
    for place, category in enumerate(index.categories):
        wanted = _wanted(index, category, shown, pairs)
        if not maker.has(category.name) or not any(wanted.values()):
            continue
        asked = {entry_id for ids in wanted.values() for entry_id in ids}
        staged = maker.entries(category.name)
        sessions = {one for entry in staged if entry.entry_id in asked for one in entry.depends_on}
        for number, (model, ids) in enumerate(wanted.items()):
            if ids:
                yield _Task(f"a{number}c{place}", category.name, {*ids, *sessions}, model)
        yield _Task(f"e{place}", category.name, asked | sessions)


class _Maker:
    """Makes blocks; it keeps the entries of one category, since tasks come by category."""

    def __init__(self, run: Run, conditions: Conditions) -> None:
        self._run, self._conditions = run, conditions
        self._category: str | None = None
        self._entries: Sequence[Entry] = ()

    def __reduce__(self) -> tuple[type[_Maker], tuple[Run, Conditions]]:
        """Without entries: another process reads those it needs."""
        return _Maker, (self._run, self._conditions)

    def has(self, category: str) -> bool:
        """Whether the category is staged."""
        return entries_path(self._conditions.data, category).is_file()

    def entries(self, category: str) -> Sequence[Entry]:
        """The staged entries of a category."""
        if category != self._category:
            self._entries = list(read_entries(entries_path(self._conditions.data, category)))
            self._category = category
        return self._entries

    def block(self, task: _Task) -> Block | None:
        """The block of a task; None if the run has no answer of it."""
        ids = task.entry_ids
        entries = [entry for entry in self.entries(task.category) if entry.entry_id in ids]
        if task.model is None:
            made = {one.entry_id: as_json(entry_record(one, self._conditions)) for one in entries}
        else:
            played = answer_records(self._run, task.model, entries, self._conditions)
            made = {record.entry_id: as_json(record) for record in played}
        return records_block(made) if made else None


_makers: list[_Maker] = []
"""The one of a process of a pool."""


def _keep(maker: _Maker) -> None:
    _makers.append(maker)


def _block(task: _Task) -> Block | None:
    return _makers[0].block(task)


def _wanted(
    index: Index, category: IndexedCategory, shown: ShownEntries, pairs: Iterable[tuple[str, str]]
) -> Mapping[str, Collection[str]]:
    """The ids whose conversations are shown, by model."""
    if shown is ShownEntries.ALL:
        return {model: index.asked(model, category) for model in index.verdicts}
    wrong = {model: set(index.wanted(model, category)) for model in index.verdicts}
    wanted = {model: set(ids) for model, ids in wrong.items()}
    for first, second in pairs:
        if first in wanted and second in wanted:
            wanted[first] |= wrong[second]
            wanted[second] |= wrong[first]
    return wanted
