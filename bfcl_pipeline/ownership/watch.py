"""Watching an owner of whom nothing is known but that it renews its file while it lives.

No clocks of two machines are compared: who watches sees changes, and counts time on its own clock. Time
counts only as far as it was watched: while the file system is away, it is away for the owner too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from bfcl_pipeline.ownership.owner import Seen
from bfcl_pipeline.ownership.process import Process, is_alive


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often owners say that they live, and how long they may be silent. All in seconds."""

    beat: float = 10.0  # between two renewals
    look: float = 2.0  # between two looks of who watches
    silent: float = 60.0  # watched without a renewal, an owner counts as dead
    tell: float = 60.0  # between two lines of who waits
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Fate(Enum):
    """What is known of an owner."""

    ALIVE = "alive"
    GONE = "gone"
    UNKNOWN = "unknown"  # to be looked at again


class Watch:
    """One owner, looked at again and again."""

    def __init__(self, first: Seen, here: Process, rhythm: Rhythm) -> None:
        """Starts with the `first` look, from the process `here`."""
        self.owner = first.owner
        self._here = here
        self._rhythm = rhythm
        self._renewed = first.renewed
        self._last = rhythm.now()
        self._silent = 0.0
        self._lives = False

    def fate(self, seen: Seen) -> Fate:
        """What is known after another look, which must be at the same owner."""
        alive = is_alive(self.owner.process, self._here)
        if alive is not None:
            return Fate.ALIVE if alive else Fate.GONE
        now = self._rhythm.now()
        self._silent += min(now - self._last, 2 * self._rhythm.look)
        self._last = now
        if seen.renewed != self._renewed:
            self._renewed = seen.renewed
            self._silent = 0.0
            self._lives = True
        if self._silent >= self._rhythm.silent:
            return Fate.GONE
        return Fate.ALIVE if self._lives else Fate.UNKNOWN
