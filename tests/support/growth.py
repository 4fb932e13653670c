"""Whether work grows in proportion to its input, also work without calls, such as a regular expression.

Where the work is in function calls, `tests.support.work` counts them, which is the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 10
"""How many times larger than the small input the large one is."""

MOST = 2.5 * TIMES
"""How many times as much processor time the large input may take; TIMES ** 2 if the work is quadratic."""

ATTEMPTS = 3
"""How often the times are taken, which other programs disturb, before the growth counts as too large."""

NOTHING_SECONDS = 0.02
"""Processor time so short that its growth says nothing."""


def grows_in_proportion(work: Callable[[int], object], size: int) -> bool:
    """Whether `work` takes processor time in proportion, for a tenth of `size` and for `size`."""
    for _ in range(ATTEMPTS):
        small = min(_seconds(work, size // TIMES) for _ in range(2))
        large = _seconds(work, size)
        if large <= MOST * small + NOTHING_SECONDS:
            return True
    return False


def _seconds(work: Callable[[int], object], size: int) -> float:
    started = time.process_time()
    work(size)
    return time.process_time() - started
