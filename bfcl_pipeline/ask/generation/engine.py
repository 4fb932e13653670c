"""Runs many entries at once, in the order that leaves the shortest tail.

Covers which entries may start (sessions before the questions that depend on them), how many are open, and
the order: longest chain first. What running an entry means is the caller's.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bfcl_pipeline.benchmark.records import Entry


async def run_all(
    entries: Sequence[Entry],
    chains: Mapping[str, int],
    open_at_once: int,
    run_entry: Callable[[Entry], Awaitable[None]],
) -> None:
    """Calls `run_entry` for every entry; for one that depends on others, after those have returned.

    entries: without duplicates. chains: by entry id, the length that decides the order. An exception of one
    call cancels the others and is raised in an ExceptionGroup.
    """
    places = {entry.entry_id: place for place, entry in enumerate(entries)}
    missing = {entry.entry_id: _needed(entry, places) for entry in entries}
    dependents: dict[str, list[Entry]] = {}
    for entry in entries:
        for needed in missing[entry.entry_id]:
            dependents.setdefault(needed, []).append(entry)
    ready: list[tuple[int, int]] = []  # longest chain first, then in entry order

    def offer(entry: Entry) -> None:
        heapq.heappush(ready, (-chains[entry.entry_id], places[entry.entry_id]))

    for entry in entries:
        if not missing[entry.entry_id]:
            offer(entry)
    ended: asyncio.Queue[Entry] = asyncio.Queue()
    running = 0

    async def run(entry: Entry) -> None:
        await run_entry(entry)
        ended.put_nowait(entry)

    async with asyncio.TaskGroup() as group:
        while ready or running:
            while ready and running < open_at_once:
                group.create_task(run(entries[heapq.heappop(ready)[1]]))
                running += 1
                await asyncio.sleep(0)  # staggered: in step, all would wait for the slowest
            done = await ended.get()
            running -= 1
            for dependent in dependents.get(done.entry_id, ()):
                missing[dependent.entry_id].discard(done.entry_id)
                if not missing[dependent.entry_id]:
                    offer(dependent)


def _needed(entry: Entry, places: Mapping[str, int]) -> set[str]:
    """The entries that `entry` depends on, as far as they run here."""
    return {needed for needed in entry.depends_on if needed in places}
