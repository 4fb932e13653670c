"""Holds many conversations at once, in the order that leaves the shortest tail.

Covers what may begin when (sessions before the questions that depend on them), how many are open, and
the order: longest chain first. It does not know what a conversation is, nor what one ends in.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bfcl_pipeline.records import Entry


async def hold_all(
    entries: Sequence[Entry],
    chains: Mapping[str, int],
    open_at_once: int,
    hold: Callable[[Entry], Awaitable[None]],
) -> None:
    """Calls `hold` for every entry; for one that depends on others after theirs have returned.

    entries: without duplicates. An exception of one `hold` ends the others and is raised.
    """
    places = {entry.entry_id: place for place, entry in enumerate(entries)}
    missing = {entry.entry_id: _needed(entry, places) for entry in entries}
    dependents: dict[str, list[Entry]] = {}
    for entry in entries:
        for needed in missing[entry.entry_id]:
            dependents.setdefault(needed, []).append(entry)
    ready: list[tuple[int, int]] = []  # longest chain first, then as the entries stand

    def offer(entry: Entry) -> None:
        heapq.heappush(ready, (-chains[entry.entry_id], places[entry.entry_id]))

    for entry in entries:
        if not missing[entry.entry_id]:
            offer(entry)
    ended: asyncio.Queue[Entry] = asyncio.Queue()
    running = 0

    async def held(entry: Entry) -> None:
        await hold(entry)
        ended.put_nowait(entry)

    async with asyncio.TaskGroup() as group:
        while ready or running:
            while ready and running < open_at_once:
                group.create_task(held(entries[heapq.heappop(ready)[1]]))
                running += 1
                await asyncio.sleep(0)  # one goes ahead of the next: in step they would all wait for all
            done = await ended.get()
            running -= 1
            for dependent in dependents.get(done.entry_id, ()):
                missing[dependent.entry_id].discard(done.entry_id)
                if not missing[dependent.entry_id]:
                    offer(dependent)


def _needed(entry: Entry, places: Mapping[str, int]) -> set[str]:
    """What `entry` has to wait for, of what is held here at all."""
    return {needed for needed in entry.depends_on if needed in places}
