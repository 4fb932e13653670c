"""Shows how far a command is: the steps of a replay, in one line that is redrawn on a terminal; a count."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

from bfcl_pipeline.base.text import STEP_LINE

EVERY_SECONDS = 10.0
"""Between two lines; work that is done earlier has none."""


class PlainCount:
    """Writes lines such as `conversations: 1,200 of 9,000`. clock: seconds."""

    def __init__(
        self, what: str, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what, self._stream, self._clock = what, stream, clock
        self._next = clock() + EVERY_SECONDS

    def show(self, done: int, count: int) -> None:
        """Writes a line if the last was long ago."""
        now = self._clock()
        if now >= self._next:
            self._next = now + EVERY_SECONDS
            print(f"{self._what}: {done:,} of {count:,}", file=self._stream or sys.stderr, flush=True)


_ERASE = "\r\x1b[2K"
_WIDTH = 78  # of the redrawn line, which must not wrap
_LINES = 10


class StepsShown:
    """A Log for lines of `step_line`. As a context manager it removes the redrawn line at the end."""

    def __init__(self, stream: TextIO | None = None, *, terminal: bool | None = None) -> None:
        """stream: standard error by default. terminal: whether it is one."""
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._tenths = 0

    def __call__(self, line: str) -> None:
        """Shows a finished step; other lines are printed."""
        step = STEP_LINE.fullmatch(line)
        if step is None:
            self._write(f"{line}\n")
            return
        done, total = (int(step[name].replace(",", "")) for name in ("done", "total"))
        if self._terminal:
            self._write(f"Step {done:,} of {total:,}: {step['text']}"[:_WIDTH])
        elif done * _LINES // total > self._tenths or done == total:
            self._tenths = done * _LINES // total
            self._write(f"Step {done:,} of {total:,}: {step['text']}\n")

    def __enter__(self) -> "StepsShown":
        return self

    def __exit__(self, *_: object) -> None:
        """Removes the redrawn line."""
        if self._terminal:
            self._write("")

    def print(self, line: str) -> None:
        """Prints a line to standard output, after removing the redrawn one."""
        self.__exit__()
        print(line, flush=True)

    def _write(self, text: str) -> None:
        print((_ERASE if self._terminal else "") + text, end="", file=self._stream, flush=True)
