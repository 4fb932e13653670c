"""Keeps a server for as long as the process that wants it lives: `python -m ...keeper GRACE COMMAND...`.

That process holds the other end of standard input. When the pipe breaks, because it let go or was killed,
however it was, the whole process group of the server is told to end (TERM), and after GRACE seconds made
to (KILL). So no server outlives its run, with a GPU in its hands. Signals to the keeper itself are left
to that process: it gets them too.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

POLL_SECONDS = 0.2


def keep(command: Sequence[str], grace_seconds: float, lifeline: int) -> int:
    """Runs `command` until it ends or `lifeline` breaks. Returns its exit status, as a shell tells it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # A handler, not SIG_IGN: the server would inherit that.
        signal.signal(number, lambda _number, _frame: None)
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    while server.poll() is None:
        readable, _, _ = select.select([lifeline], [], [], POLL_SECONDS)
        if readable:
            break
    _signal(server.pid, signal.SIGTERM)
    try:
        status = server.wait(timeout=grace_seconds)
    except subprocess.TimeoutExpired:
        _signal(server.pid, signal.SIGKILL)
        status = server.wait()
    _signal(server.pid, signal.SIGKILL)  # children that the server left behind
    return status if status >= 0 else 128 - status


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(keep(sys.argv[2:], float(sys.argv[1]), sys.stdin.fileno()))
