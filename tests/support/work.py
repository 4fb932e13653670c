"""Measures the work of a piece of code as its number of function calls, which is the same on every machine.

Not covered: work inside one C function, such as a regular expression or a power of integers, which makes no
calls. It is limited only by a processor time far above what it needs on the slowest machine.
"""

from __future__ import annotations

import cProfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

HANG_SECONDS = 20.0
"""Processor seconds after which code counts as hanging. Everything measured here needs less than one."""


@dataclass(slots=True)
class Work:
    """The work of the code under `measured`; complete when the block is left."""

    calls: int = 0  # functions called, of Python and of C


@contextmanager
def measured() -> Iterator[Work]:
    """Counts the calls of a block, also of one that raises; fails if the block hangs."""
    work = Work()
    profile = cProfile.Profile()
    started = time.process_time()
    profile.enable()
    try:
        yield work
    finally:
        profile.disable()
        seconds = time.process_time() - started
        work.calls = sum(entry.callcount for entry in profile.getstats())
    assert seconds < HANG_SECONDS, f"took {seconds:.0f} s of a processor"
