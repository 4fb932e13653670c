"""Processes that write journals, to be killed by test_journal_killed and to race in test_journal_owner.

Usage: journal_worker.py. Reads commands from standard input, one a line, and forks: to start Python for
each process would take longer than what is tested.

    append PATH FIRST    a process appends the exchanges from FIRST on, AT_ONCE at once, and tells each
                         number that is kept, until it is killed
    race PATH COUNT      COUNT processes open the journal at the same moment, tell `won` or `lost` with why,
                         and end, without giving it back, when all have told

Answers `process PID` for each process, and `ended` when all have.
"""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

from journal_exchanges import exchange

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal

AT_ONCE = 8
PATIENCE_SECONDS = 60


def main() -> None:
    forking = get_context("fork")
    for line in sys.stdin:
        command, path, number = line.split()
        if command == "append":
            processes = [forking.Process(target=append, args=(Path(path), int(number)))]
        else:
            together = forking.Barrier(int(number))
            processes = [
                forking.Process(target=compete, args=(Path(path), together)) for _ in range(int(number))
            ]
        for process in processes:
            process.start()
            tell(f"process {process.pid}")
        for process in processes:
            process.join()
        tell("ended")


def append(path: Path, first: int) -> None:
    numbers = count(first)

    async def one_after_another(journal: Journal) -> None:
        for number in numbers:
            await journal.append(exchange(number))
            tell(str(number))

    async def all_at_once() -> None:
        journal = Journal.open(path)
        await asyncio.gather(*(one_after_another(journal) for _ in range(AT_ONCE)))

    asyncio.run(all_at_once())


def compete(path: Path, together: Barrier) -> None:
    together.wait(PATIENCE_SECONDS)
    try:
        Journal.open(path)
    except JournalError as error:
        tell(f"lost {error}")
    else:
        tell("won")
    together.wait(PATIENCE_SECONDS)


def tell(text: str) -> None:
    os.write(1, f"{text}\n".encode())  # at once, and whole


if __name__ == "__main__":
    main()
