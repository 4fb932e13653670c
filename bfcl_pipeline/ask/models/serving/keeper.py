"""Runs a server as long as its parent process lives: `python -m ...keeper GRACE_SECONDS COMMAND...`.

The parent holds the other end of standard input. When that pipe closes, because the parent closed it or
was killed, the server's process group is sent TERM, and KILL after the grace period: no server outlives
its run and keeps a GPU. Signals to the keeper itself are ignored; the parent gets them too and handles
them.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

POLL_SECONDS = 0.2


def keep(command: Sequence[str], grace_seconds: float, lifeline: int) -> int:
    """Runs `command` until it ends or the pipe `lifeline` closes; returns the exit status."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # A handler, not SIG_IGN, which the server would inherit.
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
