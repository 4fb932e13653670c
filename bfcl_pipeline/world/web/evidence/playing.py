"""Answers requests from a cassette: within `playing`, no client of this room uses the network.

The two HTTP clients ask `player()` before they send. Requests are compared as
they were recorded, without secrets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.world.web.evidence.redaction import (
    HttpRedactor,
    differs_in_secrets_only,
    redact_address,
    secret_values,
)

if TYPE_CHECKING:
    from vcr.request import Request

_LONGEST_NAMED = 300  # characters of an address in a message


@dataclass(frozen=True, slots=True)
class PlayedAnswer:
    """A response of a cassette."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes  # as the client read it: decompressed, unless `headers` have a Content-Encoding


class NotOnCassette(Exception):
    """The cassette does not hold a request; the text names it."""


class Unanswered(Exception):
    """The recorded request had no complete answer; the text says why, as recorded."""


class RecordedPlayer(Protocol):
    """A cassette that is being played."""

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        """The recorded answer to a request, each one once. Raises NotOnCassette and Unanswered."""

    def left(self) -> int:
        """How many recorded answers were not asked for yet, and requests without an answer."""


class CassettePlayer:
    """Plays a cassette file. The answers to the same request are played in order, then its failures."""

    def __init__(self, content: bytes, secrets: Collection[str] = ()) -> None:
        """secrets: keys of the requests that will be made. Raises ValueError if it is not a cassette."""
        from bfcl_pipeline.world.web.evidence.cassettes import read_cassette  # imports vcrpy

        self._secrets = [*secrets]
        loaded = read_cassette(content, match_on=_MATCHERS)
        self._cassette = loaded.cassette
        self._unanswered = [*loaded.unanswered]
        self._unasked = self._unanswered  # of them, those whose request was not made, answered or not

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        """The recorded answer to a request, each one once. Raises NotOnCassette and Unanswered."""
        from vcr.request import Request

        self._secrets += secret_values(url)
        redactor = HttpRedactor(self._secrets)
        address = valid_unicode(redactor.address(url))
        content = None if body is None else redactor.content(body)
        request = Request(method, address, content, {})
        self._unasked = [one for one in self._unasked if not _is_same(request, one.request)]
        if self._cassette.can_play_response_for(request):
            response = self._cassette.play_response(request)
            return PlayedAnswer(
                response["status"]["code"],
                response["status"]["message"],
                tuple((name, value) for name, values in response["headers"].items() for value in values),
                response["body"]["string"],
            )
        for number, one in enumerate(self._unanswered):
            if _is_same(request, one.request):
                self._unanswered = self._unanswered[:number] + self._unanswered[number + 1 :]
                raise Unanswered(one.error)
        raise NotOnCassette(f"{method} {address[:_LONGEST_NAMED]}")

    def left(self) -> int:
        """How many recorded answers were not asked for yet, and requests without an answer."""
        return len(self._cassette) - int(self._cassette.play_count) + len(self._unasked)


def _same_method(request: Request, recorded: Request) -> bool:
    return bool(request.method == recorded.method)


def _same_address(request: Request, recorded: Request) -> bool:
    return differs_in_secrets_only(request.uri, recorded.uri)


def _same_body(request: Request, recorded: Request) -> bool:
    # Latin-1 has a character for each byte, so that bytes are compared as text.
    ours, theirs = ((one.body or b"").decode("latin-1") for one in (request, recorded))
    # A form is recorded without its secret parameters; that it is one, only the recorded request says.
    return differs_in_secrets_only(ours, theirs) or differs_in_secrets_only(redact_address(ours), theirs)


_MATCHERS = (_same_method, _same_address, _same_body)
"""What a request must have in common with a recorded one, as vcrpy is given it."""


def _is_same(request: Request, recorded: Request) -> bool:
    return all(same(request, recorded) for same in _MATCHERS)


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
