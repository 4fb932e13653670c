"""The HTTP behind an outcome, recorded as evidence in the format of a vcrpy cassette.

vcrpy patches the HTTP library of the whole process and loses traffic of threads; here each call has a
tape, which only receives the exchanges of its thread (a client that starts threads runs them in
`contextvars.copy_context()`). A tape holds the part of each body that was read, decompressed if the client
decompressed it, and never cookies, keys, passwords or authorizations. `cassettes` writes it as a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)


@dataclass(slots=True)
class HttpExchange:
    """One request and its answer; the body grows as the client reads it."""

    method: str
    url: str
    request_headers: Iterable[tuple[str, str]]
    request_body: bytes | None
    status: int = 0
    reason: str = ""
    headers: Iterable[tuple[str, str]] = ()
    body: bytearray = field(default_factory=bytearray)
    decompressed: bool = False  # whether `body` is without its content encoding
    error: str | None = None  # why there is no answer, or not all of it
    reading: bool = False  # whether the body was read, but not to its end

    @contextmanager
    def failing(self) -> Iterator[None]:
        """An error of the block is why there is no answer, or not all of it."""
        try:
            yield
        except BaseException as error:
            self.error = f"{type(error).__name__}: {error}"
            raise


class Tape:
    """The exchanges of one call, in order."""

    def __init__(self) -> None:
        self.exchanges: list[HttpExchange] = []

    def cassette(self, secrets: Collection[str] = ()) -> bytes | None:
        """The cassette as YAML, without `secrets` and other secrets; None if nothing was sent."""
        exchanges = self.copied()  # a thread of the client may still add to the tape
        if not exchanges:
            return None
        from bfcl_pipeline.world.web.evidence.cassettes import write_cassette  # imports vcrpy

        return write_cassette(exchanges, secrets)

    def copied(self) -> list[HttpExchange]:
        """The exchanges as they are now; those without a complete answer have an error."""
        return [
            replace(exchange, body=exchange.body[:], error=_missing(exchange))
            for exchange in [*self.exchanges]
        ]


@contextmanager
def taping() -> Iterator[Tape]:
    """A tape of the requests that this thread sends within the block, and of no others."""
    tape = Tape()
    token = _TAPE.set(tape)
    try:
        yield tape
    finally:
        _TAPE.reset(token)


def note(exchange: HttpExchange) -> None:
    """Adds an exchange to the current tape, if any."""
    tape = _TAPE.get()
    if tape is not None:
        tape.exchanges.append(exchange)


def give_up(error: Exception) -> None:
    """Notes that the client does not use the last answer of the current tape, complete or not, and why.

    What another thread still reads of the exchanges does not reach the tape any more.
    """
    tape = _TAPE.get()
    if tape is not None and tape.exchanges:
        tape.exchanges = tape.copied()
        tape.exchanges[-1].error = f"{type(error).__name__}: {error}"


def _missing(exchange: HttpExchange) -> str | None:
    """Why an exchange cannot be played back; None if it can."""
    if exchange.error is None and not exchange.status:
        return "given up before there was an answer"
    if exchange.error is None and exchange.reading:
        return f"HTTP {exchange.status}, given up after {len(exchange.body)} bytes of the body"
    return exchange.error
