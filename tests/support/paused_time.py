"""A clock that only sleeping moves, for tests of pauses."""

from collections.abc import Callable


class PausedTime:
    """Passes as `clock` and `sleep` of what waits."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []
        self.meanwhile: Callable[[], None] | None = None  # happens once, during the next sleep

    def clock(self) -> float:
        """The time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Moves the time."""
        self.slept.append(seconds)
        self.now += seconds
        if self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            happens()
