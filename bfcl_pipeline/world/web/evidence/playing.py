"""Answers requests from a cassette: within `playing`, no client of this room uses the network.

The two HTTP clients ask `player()` before they send. Requests are compared as they were recorded, without
secrets. An answer is as the client read it: decompressed, unless its headers have a Content-Encoding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.world.web.evidence.redaction import (
    HttpRedactor,
    differs_in_secrets_only,
    redact_address,
    secret_values,
)
from bfcl_pipeline.world.web.evidence.tape import HttpExchange

_LONGEST_NAMED = 300  # characters of an address in a message


class NotOnCassette(Exception):
    """The cassette does not hold a request; the text names it."""


class Unanswered(Exception):
    """The recorded request had no complete answer; the text says why, as recorded."""


class RecordedPlayer(Protocol):
    """A cassette that is being played."""

    def answer(self, method: str, url: str, body: bytes | None) -> HttpExchange:
        """The recorded answer to a request, each one once. Raises NotOnCassette and Unanswered."""

    def left(self) -> int:
        """How many recorded answers were not asked for yet, and requests without an answer."""


class CassettePlayer:
    """Plays a cassette file. The answers to the same request are played in order, then its failures."""

    def __init__(self, content: bytes | None, secrets: Collection[str] = ()) -> None:
        """content: None: without any request. secrets: keys of the requests that will be made.

        Raises ValueError if it is not a cassette.
        """
        from bfcl_pipeline.world.web.evidence.cassettes import read_cassette  # imports vcrpy

        self._secrets = [*secrets]
        self._exchanges = [] if content is None else read_cassette(content)  # that were not played yet
        self._unasked = [
            one for one in self._exchanges if one.error is not None
        ]  # whose request was not made

    def answer(self, method: str, url: str, body: bytes | None) -> HttpExchange:
        """The recorded answer to a request, each one once. Raises NotOnCassette and Unanswered."""
        self._secrets += secret_values(url)
        redactor = HttpRedactor(self._secrets)
        address = valid_unicode(redactor.address(url))
        content = redactor.content(body or b"")

        def is_same(one: HttpExchange) -> bool:
            return (
                one.method == method
                and differs_in_secrets_only(address, one.url)
                and _is_same_body(content, one.request_body or b"")
            )

        self._unasked = [one for one in self._unasked if not is_same(one)]
        same = sorted(filter(is_same, self._exchanges), key=lambda one: one.error is not None)
        if not same:
            raise NotOnCassette(f"{method} {address[:_LONGEST_NAMED]}")
        first = same[0]
        self._exchanges = [one for one in self._exchanges if one is not first]
        if first.error is not None:
            raise Unanswered(first.error)
        return first

    def left(self) -> int:
        """How many recorded answers were not asked for yet, and requests without an answer."""
        return sum(one.error is None for one in self._exchanges) + len(self._unasked)


def _is_same_body(sent: bytes, recorded: bytes) -> bool:
    # Latin-1 has a character for each byte, so that bytes are compared as text.
    ours, theirs = sent.decode("latin-1"), recorded.decode("latin-1")
    # A form is recorded without its secret parameters; that it is one, only the recorded request says.
    return differs_in_secrets_only(ours, theirs) or differs_in_secrets_only(redact_address(ours), theirs)


_PLAYER: ContextVar[RecordedPlayer | None] = ContextVar("player", default=None)


def player() -> RecordedPlayer | None:
    """What answers requests in the place of the network; None outside of `playing`."""
    return _PLAYER.get()


@contextmanager
def playing(cassette: RecordedPlayer) -> Iterator[None]:
    """Within the block, requests of this thread and those it starts in its context are played."""
    token = _PLAYER.set(cassette)
    try:
        yield
    finally:
        _PLAYER.reset(token)
