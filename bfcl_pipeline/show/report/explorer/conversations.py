"""The conversations of a run as blocks of the page's data.

A category has one block for its entries, and one for the answers of each model. Covers which conversations
are shown. What is in them, and how long texts may be, is decided in `transcripts`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.base.workers import process_pool
from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import texts_path
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions, read_conditions
from bfcl_pipeline.show.report.explorer.index import Index, IndexedCategory
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.parts import as_json
from bfcl_pipeline.show.transcripts.run import answer_records


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the page's data."""

    digest: str  # of its content, by which the page recognises a file of another report
    text: str  # base64

    @classmethod
    def of(cls, value: Any) -> Self:
        """The block of a value that JSON can hold; equal values give equal text on every machine."""
        plain = valid_unicode(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()
        packed = pa.compress(plain, codec="gzip", asbytes=True)  # its own zlib, the same everywhere
        return cls(hashlib.sha256(plain).hexdigest()[:16], base64.b64encode(packed).decode())

    def script(self, name: str) -> str:
        """The block as a script file, for a page opened from disk, which may load nothing else.

        name: letters and digits, chosen by the page.
        """
        return f'bfcl_data("{name}","{self.digest}","{self.text}");\n'


def records_block(records: Mapping[str, Any]) -> Block:
    """The block of records by id, in which an item that occurs several times is stored once.

    Questions over one memory have the same texts before them, entries of one API the same functions; these
    lie further apart than compression looks back.

    records: values of `transcripts.as_json`. In the block, `{"item": 3}` in the place of an item is the
    fourth of the list `items`.
    """
    counts: Counter[str] = Counter()
    first: dict[str, Any] = {}
    for item in _items(list(records.values())):
        key = _key(item)
        counts[key] += 1
        first.setdefault(key, item)
    places = {key: place for place, key in enumerate(key for key, number in counts.items() if number > 1)}
    return Block.of(
        {
            "items": [first[key] for key in places],
            "records": {name: _with_places(record, places) for name, record in records.items()},
        }
    )


def _key(item: Any) -> str:
    """Equal for items that are the same as JSON, whose objects have their names in one order."""
    return repr(item)


def _items(value: Any) -> Iterator[Any]:
    """The items anywhere in a value."""
    if isinstance(value, dict):
        if "kind" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _items(part)


def _with_places(value: Any, places: Mapping[str, int]) -> Any:
    """A value with the places of items that occur several times in their place."""
    if isinstance(value, list):
        return [_with_places(part, places) for part in value]
    if not isinstance(value, dict):
        return value
    if "kind" in value:
        place = places.get(_key(value))
        return value if place is None else {"item": place}
    return {name: _with_places(part, places) for name, part in value.items()}


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
    conditions = read_conditions(run)
    _keep(run, conditions)
    tasks = list(_tasks(index, shown, pairs, run.data))
    count, done = sum(len(task.entry_ids) for task in tasks), 0
    most = min(processes or os.cpu_count() or 1, 1 + count // per_process)
    with using_errata(run.errata, run.data), ExitStack() as stack:
        blocks: Iterable[Block | None] = map(_block, tasks)
        if most > 1:
            blocks = stack.enter_context(process_pool(most, _keep, run, conditions)).map(_block, tasks)
        for task, block in zip(tasks, blocks, strict=True):
            done += len(task.entry_ids)
            told(done, count)
            if block is not None:
                yield task.name, block


def _tasks(
    index: Index, shown: ShownEntries, pairs: Collection[tuple[str, str]], data: Path
) -> Iterator[_Task]:
    for place, category in enumerate(index.categories):
        wanted = _wanted(index, category, shown, pairs)
        if not entries_path(data, category.name).is_file() or not any(wanted.values()):
            continue
        asked = {entry_id for ids in wanted.values() for entry_id in ids}
        staged = _entries(data, category.name)
        sessions = {one for entry in staged if entry.entry_id in asked for one in entry.depends_on}
        for number, (model, ids) in enumerate(wanted.items()):
            if ids:
                yield _Task(f"a{number}c{place}", category.name, {*ids, *sessions}, model)
        yield _Task(f"e{place}", category.name, asked | sessions)


@lru_cache(maxsize=1)  # tasks come by category
def _entries(data: Path, category: str) -> Sequence[Entry]:
    """The staged entries of a category."""
    return read_entries(entries_path(data, category))


_kept: list[tuple[Run, Conditions]] = []
"""Of this process: the run whose blocks it makes."""


def _keep(run: Run, conditions: Conditions) -> None:
    _kept[:] = [(run, conditions)]
    _entries.cache_clear()


def _block(task: _Task) -> Block | None:
    """The block of a task; None if the run has no answer of it."""
    ((run, conditions),) = _kept
    entries = [one for one in _entries(conditions.data, task.category) if one.entry_id in task.entry_ids]
    if task.model is None:
        made = {one.entry_id: as_json(entry_record(one, conditions)) for one in entries}
    else:
        played = answer_records(run, task.model, entries, conditions)
        made = {record.entry_id: as_json(record) for record in played}
    return records_block(made) if made else None


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
