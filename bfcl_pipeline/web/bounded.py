"""Bounds on an exchange over HTTP: the time of the whole, the size of headers and of a decoded body."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import closing
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from requests import Response

from bfcl_pipeline.web.evidence.tape import give_up
from bfcl_pipeline.web.transport import FetchConnections, TooMuch

T = TypeVar("T")

_CHUNK = 65_536


class OutOfTime(Exception):
    """The time for the whole exchange is over."""


def in_time(work: Callable[[], T], connections: FetchConnections, seconds: float) -> T:
    """The result of `work`, which uses `connections`. Raises OutOfTime, and what `work` raises."""
    # In its own thread: no socket timeout stops a server that sends single bytes slowly, or a slow name
    # lookup. After the time limit the connections are shut down, which ends the thread.
    outcome: Future[T] = Future()
    run = copy_context().run  # the thread adds to the tape of this one
    Thread(target=run, args=(_run, work, connections, outcome), name="fetch", daemon=True).start()
    if not wait([outcome], seconds).done:
        over = OutOfTime(f"(total timeout={seconds})")
        give_up(over)
        connections.cut()
        raise over
    try:
        return outcome.result()
    except OutOfTime as error:  # of a cassette that is played; old ones have no text
        raise OutOfTime(str(error) or f"(total timeout={seconds})") from None


def _run(work: Callable[[], T], connections: FetchConnections, outcome: Future[T]) -> None:
    try:
        with closing(connections):
            result = work()
    except BaseException as error:  # noqa: BLE001  # raised again by outcome.result()
        outcome.set_exception(error)
    else:
        outcome.set_result(result)


def check_head(response: Response, most_bytes: int) -> None:
    """Closes the response and raises TooMuch if its headers have more than `most_bytes`."""
    if sum(len(name) + len(value) for name, value in response.headers.items()) > most_bytes:
        response.close()
        error = TooMuch(f"Headers of more than {most_bytes:,} bytes")
        give_up(error)
        raise error


def read_body(response: Response, most_bytes: int) -> bytes:
    """The decoded body. Raises TooMuch if it has more than `most_bytes`."""
    body = bytearray()
    for chunk in response.iter_content(_CHUNK):  # decoded in chunks, against zip bombs
        body += chunk
        if len(body) > most_bytes:
            raise TooMuch(f"Content of more than {most_bytes:,} bytes")
    return bytes(body)
