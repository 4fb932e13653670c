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
from typing import TYPE_CHECKING, Any, cast

from bfcl_pipeline.world.web.evidence.playing import player

if TYPE_CHECKING:
    import requests

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
    """Adds an exchange to the current tape, if any: for clients other than `requests`."""
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


def tape_session(session: requests.Session) -> None:
    """Tapes everything that `session` sends, redirects included, on the tape of the sending thread.

    Within `playing` nothing is sent: the cassette answers.
    """
    cassette = player()
    if cassette is not None:
        from bfcl_pipeline.world.web.evidence.playing_adapter import PlayingAdapter  # imports requests

        for prefix in list(session.adapters):
            session.mount(prefix, PlayingAdapter(cassette))
    for prefix, adapter in list(session.adapters.items()):
        session.mount(prefix, cast("requests.adapters.BaseAdapter", _TapingAdapter(adapter)))


class _TapingAdapter:
    """Wraps an adapter of a session; has the methods that `requests` calls."""

    def __init__(self, adapter: requests.adapters.BaseAdapter) -> None:
        self._adapter = adapter

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        body = request.body.encode() if isinstance(request.body, str) else request.body
        exchange = HttpExchange(
            str(request.method),
            str(request.url),
            tuple((str(name), _text(value)) for name, value in request.headers.items()),
            body if isinstance(body, bytes) else None,
        )
        note(exchange)
        try:
            response = self._adapter.send(request, *args, **kwargs)
        except BaseException as error:
            exchange.error = f"{type(error).__name__}: {error}"
            raise
        exchange.status, exchange.reason = response.status_code, response.reason or ""
        exchange.headers = tuple(response.raw.headers.items())
        response.raw = _TapedBody(response.raw, exchange)
        return response

    def close(self) -> None:
        self._adapter.close()


class _TapedBody:
    """Wraps a response of urllib3 and tapes its body as it is read."""

    def __init__(self, raw: Any, exchange: HttpExchange) -> None:
        self._raw = raw
        self._exchange = exchange

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def read(self, amt: int | None = None, decode_content: bool | None = None, **kwargs: Any) -> bytes:
        with self._reading(decode_content):
            chunk = self._raw.read(amt, decode_content=decode_content, **kwargs)
            return self._noted(chunk, ended=not chunk or amt is None)

    def read1(self, amt: int | None = None, decode_content: bool | None = None) -> bytes:
        with self._reading(decode_content):
            chunk = self._raw.read1(amt, decode_content=decode_content)
            return self._noted(chunk, ended=not chunk)

    def stream(self, amt: int = 65536, decode_content: bool | None = None) -> Iterator[bytes]:
        with self._reading(decode_content):
            for chunk in self._raw.stream(amt, decode_content=decode_content):
                yield self._noted(chunk, ended=False)
            self._noted(b"", ended=True)

    @contextmanager
    def _reading(self, decode_content: bool | None) -> Iterator[None]:
        self._exchange.reading = True
        self._exchange.decompressed = bool(
            self._raw.decode_content if decode_content is None else decode_content
        )
        try:
            yield
        except BaseException as error:
            if isinstance(error, GeneratorExit):  # a stream that was not read to its end
                raise
            self._exchange.error = f"{type(error).__name__}: {error}"
            raise

    def _noted(self, chunk: bytes, *, ended: bool) -> bytes:
        self._exchange.body += chunk
        self._exchange.reading = not ended
        return chunk


def _missing(exchange: HttpExchange) -> str | None:
    """Why an exchange cannot be played back; None if it can."""
    if exchange.error is None and not exchange.status:
        return "given up before there was an answer"
    if exchange.error is None and exchange.reading:
        return f"HTTP {exchange.status}, given up after {len(exchange.body)} bytes of the body"
    return exchange.error


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
