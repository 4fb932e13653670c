"""Answers requests from a cassette: within `playing`, no client of this room uses the network.

`tape_session` and the client of search engines ask `player()` before they send. Requests are compared as
they were recorded, without secrets.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlayedAnswer:
    """A response of a cassette."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes  # as the client read it: decompressed


class NotOnCassette(Exception):
    """The cassette does not hold a request; the text names it."""


class Unanswered(Exception):
    """The recorded request had no complete answer; the text says why, as recorded."""


class Player(Protocol):
    """A cassette that is being played."""

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        """The recorded answer to a request, each one once. Raises NotOnCassette and Unanswered."""

    def left(self) -> int:
        """How many recorded answers were not asked for yet."""


_PLAYER: ContextVar[Player | None] = ContextVar("player", default=None)


def player() -> Player | None:
    """What answers requests in the place of the network; None outside of `playing`."""
    return _PLAYER.get()


@contextmanager
def playing(cassette: Player) -> Iterator[None]:
    """Within the block, requests of this thread and those it starts in its context are played."""
    token = _PLAYER.set(cassette)
    try:
        yield
    finally:
        _PLAYER.reset(token)
