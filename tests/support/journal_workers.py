"""Processes that write journals: test_journal_killed kills them, in test_journal_lease they compete.

`workers` starts this module, which reads one command per line from standard input and forks the processes,
which is faster than starting Python for each.

    append PATH FIRST [HOST]
        a process appends the exchanges from FIRST on, AT_ONCE in parallel, and prints each number that was
        written, until it is killed or loses its lease; then it prints `stopped` and the reason
    race PATH COUNT [HOST ...]
        COUNT processes open the journal at the same moment, print `won` or `lost` and the reason, and end
        without releasing the lease when all have printed

The processes pretend to be on the machines HOST in turn, or are all on this one. Prints `process PID` for
each process, and `ended` when all have ended.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.base.leases import LeaseTiming
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.runs.journal import Journal
from tests.support import ROOT
from tests.support.journal_exchanges import exchange

QUICK = LeaseTiming(heartbeat_seconds=0.05, poll_seconds=0.01, timeout_seconds=3.0)
"""Timing with which holders on other machines are detected as alive or dead within seconds. At most two
poll intervals per read count as observed time, so that a slow machine extends the timeout."""
AT_ONCE = 8
PATIENCE_SECONDS = 60


class Workers:
    """The worker process: takes commands, returns lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self, command: str, path: Path, number: int, *hosts: str) -> None:
        """Sends a command; see above."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join([command, str(path), str(number), *hosts]) + "\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """The next line of its output."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the workers have ended"
        return line.removesuffix("\n")

    def pid(self) -> int:
        """The process id in the next line."""
        word, number = self.line().split()
        assert word == "process"
        return int(number)

    def rest(self) -> list[str]:
        """The remaining lines until all processes of the command have ended."""
        return list(iter(self.line, "ended"))


@contextmanager
def workers() -> Iterator[Workers]:
    """Starts the process, and ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.journal_workers"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Workers(process)
        assert process.stdin is not None
        process.stdin.close()


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
            report(f"process {process.pid}")
        for process in processes:
            process.join()
        report("ended")


def opened(path: Path, host: str) -> Journal:
    here = this_process()
    return Journal.open(path, timing=QUICK, here=replace(here, host=host) if host else here)


def append(path: Path, first: int, host: str) -> None:
    numbers = count(first)

    async def one_after_another(journal: Journal) -> None:
        for number in numbers:
            await journal.append(exchange(number))
            report(str(number))

    async def all_at_once() -> None:
        journal = opened(path, host)
        try:
            await asyncio.gather(*(one_after_another(journal) for _ in range(AT_ONCE)))
        except JournalError as error:
            report(f"stopped {error}")
        await journal.close()

    asyncio.run(all_at_once())


def compete(path: Path, together: Barrier, host: str) -> None:
    together.wait(PATIENCE_SECONDS)
    try:
        opened(path, host)
    except JournalError as error:
        report(f"lost {error}")
    else:
        report("won")
    together.wait(PATIENCE_SECONDS)


def report(text: str) -> None:
    os.write(1, f"{text}\n".encode())  # unbuffered, in one write


if __name__ == "__main__":
    main()
