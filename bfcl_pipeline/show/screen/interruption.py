"""Ending a run on Ctrl-C or SIGTERM: quickly, with its steps, and with exit status 130.

Snakemake itself would wait on SIGTERM until all running steps have ended, which may take hours.
"""

import contextlib
import signal
import sys
import threading
from types import FrameType

import psutil

STATUS = 130
"""Exit status after an interruption, as shells define it for Ctrl-C."""


GRACE_SECONDS = 2.0
"""After these, steps that have not ended on SIGINT receive SIGTERM."""


class Interruption:
    """Whether this process was asked to end. One per process, because signals are."""

    def __init__(self) -> None:
        self.requested = False

    def handle_signals(self) -> None:
        """Ends the run on SIGINT and SIGTERM from now on. Call it in the main thread.

        Snakemake sets a handler of its own before it starts the first step: call it again then.
        """
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a background job of a shell
            signal.signal(signal.SIGINT, self._end)
        signal.signal(signal.SIGTERM, self._end)

    def exit_if_requested(self) -> None:
        """Ends this process if it was asked to."""
        if self.requested:
            sys.exit(STATUS)

    @staticmethod
    def keep_prompt() -> None:
        """Makes SIGINT wake this process at once again. Call it from time to time, in any thread.

        Polars, which Snakemake loads for some rules, handles SIGINT as well, and in such a way that the
        wait for the next step to end is not interrupted.
        """
        signal.siginterrupt(signal.SIGINT, True)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if self.requested:
            _end_steps(signal.SIGKILL)
            return
        self.requested = True
        if number == signal.SIGTERM:
            _end_steps(signal.SIGINT)  # which a terminal sends to the steps itself; other senders may not
        timer = threading.Timer(GRACE_SECONDS, _end_steps, [signal.SIGTERM])
        timer.daemon = True
        timer.start()
        sys.exit(STATUS)  # Snakemake then cancels cluster jobs and waits for steps


def _end_steps(number: int) -> None:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)


INTERRUPTION = Interruption()
"""The interruption of this process."""
