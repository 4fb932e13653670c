"""Processes that write journals, to be killed by test_journal_killed and to race in test_journal_owner.

Usage: journal_worker.py. Reads commands from standard input, one a line, and forks: to start Python for
each process would take longer than what is tested.

    append PATH FIRST [HOST]
        a process appends the exchanges from FIRST on, AT_ONCE at once, and tells each number that is kept,
        until it is killed or may write no more; then it tells `stopped` and why
    race PATH COUNT [HOST ...]
        COUNT processes open the journal at the same moment, tell `won` or `lost` with why, and end, without
        giving it back, when all have told

The processes are on machines of the names HOST, one after the other, or all on this one. Answers
`process PID` for each process, and `ended` when all have.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

from journal_exchanges import exchange
from journal_workers import QUICK

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.ownership import this_process

AT_ONCE = 8
PATIENCE_SECONDS = 60


def main() -> None:
    forking = get_context("fork")
    for line in sys.stdin:
        command, path, number, *hosts = line.split()
        hosts = hosts or [""]
        if command == "append":
            processes = [forking.Process(target=append, args=(Path(path), int(number), hosts[0]))]
        else:
            together = forking.Barrier(int(number))
            processes = [
                forking.Process(target=compete, args=(Path(path), together, hosts[place % len(hosts)]))
                for place in range(int(number))
            ]
        for process in processes:
            process.start()
            tell(f"process {process.pid}")
        for process in processes:
            process.join()
        tell("ended")


def opened(path: Path, host: str) -> Journal:
    here = this_process()
    return Journal.open(path, rhythm=QUICK, here=replace(here, host=host) if host else here)


def append(path: Path, first: int, host: str) -> None:
    numbers = count(first)

    async def one_after_another(journal: Journal) -> None:
        for number in numbers:
            await journal.append(exchange(number))
            tell(str(number))

    async def all_at_once() -> None:
        journal = opened(path, host)
        try:
            await asyncio.gather(*(one_after_another(journal) for _ in range(AT_ONCE)))
        except JournalError as error:
            tell(f"stopped {error}")
        await journal.close()

    asyncio.run(all_at_once())


def compete(path: Path, together: Barrier, host: str) -> None:
    together.wait(PATIENCE_SECONDS)
    try:
        opened(path, host)
    except JournalError as error:
        tell(f"lost {error}")
    else:
        tell("won")
    together.wait(PATIENCE_SECONDS)


def tell(text: str) -> None:
    os.write(1, f"{text}\n".encode())  # at once, and whole


if __name__ == "__main__":
    main()
