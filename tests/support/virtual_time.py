"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Jumping(selectors.DefaultSelector):
    """Never waits for a timer: advances the clock of its loop instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:  # no timer: only a thread or a file can wake the loop
            return super().select(None)
        self.now += max(0.0, timeout)
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop in which timers fire in order and at their virtual times, without waiting."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """Runs `main` to its end in virtual time, from 0."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)
