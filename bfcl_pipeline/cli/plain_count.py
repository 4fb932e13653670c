"""Says how far long work of one command is: a line on standard error now and then."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

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
