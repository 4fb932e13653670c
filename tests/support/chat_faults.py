"""Faulty server behaviour: failures that were observed with real servers, and worse ones.

After each of `FAULTS` a request has no usable answer; `GOOD` are correct answers in unusual forms or on
connections that are closed; `REFUSALS` are permanent errors. Which behaviour a request meets depends on a
seed, the request and how often it was received, but not on the order of requests.
"""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from tests.support.api_server import Connection, response

Fault: TypeAlias = Callable[[Connection, bytes], Awaitable[None] | None]
"""Writes a faulty response to a connection; its argument is the correct answer."""

HUGE_BYTES = 50 * 2**20
_PIECE = b" " * 2**16
_DRIP_SECONDS = 0.05


def _status(status: str, *headers: str, kind: str = "application/json", body: bytes | None = None) -> Fault:
    said = b'{"error": {"message": "Try again.", "type": "server_error"}}' if body is None else body

    def fail(connection: Connection, good: bytes) -> None:
        connection.write(response(said, status, headers, kind))

    return fail


def _body(body: bytes, *headers: str) -> Fault:
    return _status("200 OK", *headers, body=body)


def _message(message: bytes) -> Fault:
    """An answer that is right but for its message."""
    return _body(
        b'{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": '
        b'[{"index": 0, "finish_reason": "stop", "message": %s}], '
        b'"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}' % message
    )


def _called(call: bytes) -> Fault:
    return _message(b'{"role": "assistant", "content": null, "tool_calls": [%s]}' % call)


def _edited(old: bytes, new: bytes) -> Fault:
    """The correct answer with `old` replaced by `new`; an empty object if it does not contain `old`."""

    def fail(connection: Connection, good: bytes) -> None:
        connection.write(response(good.replace(old, new) if old in good else b"{}"))

    return fail


def _reset(connection: Connection, good: bytes) -> None:
    connection.reset()


async def _reset_midway(connection: Connection, good: bytes) -> None:
    await connection.write_pieces([response(good)[:-20]], 0.01)
    connection.reset()


def _closed(connection: Connection, good: bytes) -> None:
    connection.close()


def _half(connection: Connection, good: bytes) -> None:
    connection.write(response(good[: len(good) // 2], length=len(good)))
    connection.close()


def _half_head(connection: Connection, good: bytes) -> None:
    connection.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
    connection.close()


def _half_chunks(connection: Connection, good: bytes) -> None:
    connection.write(_CHUNKED + b"%x\r\n%s" % (len(good), good[:-10]))
    connection.close()


def _stall(connection: Connection, good: bytes) -> None:
    """Sends nothing until the client disconnects."""


def _stall_midway(connection: Connection, good: bytes) -> None:
    connection.write(response(good)[:-20])


async def _drip(connection: Connection, good: bytes) -> None:
    """A byte now and then: never silent for long, never done in time."""
    whole = response(good)
    await connection.write_pieces((whole[at : at + 1] for at in range(len(whole))), _DRIP_SECONDS)


def _cut(connection: Connection, good: bytes) -> None:
    connection.write(response(good[:-9]))


async def _huge(connection: Connection, good: bytes) -> None:
    connection.write(response(good[:-1], length=HUGE_BYTES))
    await connection.write_pieces(_pieces())


async def _huge_chunks(connection: Connection, good: bytes) -> None:
    connection.write(_CHUNKED + b"%x\r\n%s\r\n" % (len(good) - 1, good[:-1]))
    await connection.write_pieces(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in _pieces())


async def _endless_head(connection: Connection, good: bytes) -> None:
    connection.write(b"HTTP/1.1 200 OK\r\n")
    await connection.write_pieces(b"X-%d: %s\r\n" % (number, _PIECE) for number in range(800))


def _pieces() -> Iterator[bytes]:
    return (_PIECE for _ in range(HUGE_BYTES // len(_PIECE)))


@cache
def _bomb() -> bytes:
    packed = gzip.compress(b"".join(_pieces()))
    return response(packed, headers=["Content-Encoding: gzip"])


def _gzip_bomb(connection: Connection, good: bytes) -> None:
    connection.write(_bomb())


def _raw(data: bytes) -> Fault:
    def fail(connection: Connection, good: bytes) -> None:
        connection.write(data)
        connection.close()

    return fail


_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
_HTML = b"<html><body><h1>502 Bad Gateway</h1>" + b"x" * 3000 + b"</body></html>"

FAULTS: Mapping[str, Fault] = {
    "reset": _reset,
    "reset midway": _reset_midway,
    "closed": _closed,
    "half body": _half,
    "half head": _half_head,
    "half chunks": _half_chunks,
    "stall": _stall,
    "stall midway": _stall_midway,
    "drip": _drip,
    "429": _status("429 Too Many Requests"),
    "429 for a moment": _status("429 Too Many Requests", "Retry-After: 0.02"),
    "429 for no time": _status("429 Too Many Requests", "Retry-After: 0"),
    "429 for milliseconds": _status("429 Too Many Requests", "retry-after-ms: 15"),
    "429 until long ago": _status("429 Too Many Requests", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"),
    "429 for nonsense": _status("429 Too Many Requests", "Retry-After: soon"),
    "429 for less than nothing": _status("429 Too Many Requests", "Retry-After: -1"),
    "429 for nan": _status("429 Too Many Requests", "Retry-After: nan"),
    "408": _status("408 Request Timeout"),
    "409": _status("409 Conflict"),
    "500": _status("500 Internal Server Error"),
    "500 without body": _status("500 Internal Server Error", body=b""),
    "502 by a proxy": _status("502 Bad Gateway", kind="text/html", body=_HTML),
    "503": _status("503 Service Unavailable", "Retry-After: 0.01"),
    "504 by a proxy": _status("504 Gateway Timeout", kind="text/html", body=_HTML),
    "529": _status("529 Overloaded", "Retry-After: 0.01"),
    "599": _status("599 Whatever"),
    "204": _status("204 No Content", body=b""),
    "empty body": _body(b""),
    "a page": _status("200 OK", kind="text/html", body=_HTML),
    "cut JSON": _cut,
    "invalid JSON": _body(b"{'choices': [None]}"),
    "deep JSON": _body(b"[" * 200_000),
    "long number": _edited(b'"total_tokens": ', b'"total_tokens": ' + b"9" * 5000),
    "null": _body(b"null"),
    "a list": _body(b"[]"),
    "a text": _body(b'"choices"'),
    "no choices": _edited(b'"choices"', b'"options"'),
    "empty choices": _body(b'{"id": "x", "object": "chat.completion", "choices": [], "usage": null}'),
    "choices null": _body(b'{"id": "x", "object": "chat.completion", "choices": null, "usage": null}'),
    "choices a mapping": _body(b'{"id": "x", "choices": {"message": {"content": "[]"}}}'),
    "choices of texts": _body(b'{"id": "x", "choices": ["message"]}'),
    "no message": _edited(b'"message"', b'"delta"'),
    "message null": _message(b"null"),
    "message a text": _message(b'"Done."'),
    "content a number": _message(b'{"role": "assistant", "content": 7}'),
    "content a mapping": _message(b'{"role": "assistant", "content": {}}'),
    "calls a text": _message(b'{"role": "assistant", "content": null, "tool_calls": "f()"}'),
    "calls of null": _called(b"null"),
    "a call without a function": _called(b'{"id": "x", "type": "function"}'),
    "a call without a name": _called(b'{"id": "x", "type": "function", "function": {"arguments": "{}"}}'),
    "a call named by a number": _called(
        b'{"id": "x", "type": "function", "function": {"name": 7, "arguments": "{}"}}'
    ),
    "arguments a number": _called(
        b'{"id": "x", "type": "function", "function": {"name": "f", "arguments": 7}}'
    ),
    "an error": _body(b'{"error": {"message": "upstream failed", "code": 502}}'),
    "an error of no kind": _body(b'{"error": "upstream failed"}'),
    "invalid UTF-8": _edited(b'"role": "assistant"', b'"role": "assistant", "name": "\xff\xfe\xc3"'),
    "UTF-16": _body('{"choices": []}'.encode("utf-16")),
    "not gzip": _status("200 OK", "Content-Encoding: gzip", body=b"{}" * 200),
    "unknown packing": _status("200 OK", "Content-Encoding: rot13", body=b"{}" * 200),
    "50 MB": _huge,
    "50 MB in chunks": _huge_chunks,
    "50 MB packed": _gzip_bomb,
    "50 MB of headers": _endless_head,
    "no HTTP": _raw(b"\x15\x03\x01\x00\x02\x02\x46" * 30),
    "a wrong status line": _raw(b"HTTP/1.1 OK 200\r\n\r\n"),
    "a status of letters": _raw(b"HTTP/1.1 abc OK\r\n\r\n{}"),
    "a negative length": _raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
    "two lengths": _raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"),
    "wrong chunks": _raw(_CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"),
    "an endless chunk": _raw(_CHUNKED + b"f" * 40 + b"\r\n{}"),
}
"""Every fault by its name."""

_RARE = {
    # Megabytes take time, and a server that is too busy without saying for how long costs a second.
    "50 MB": 1,
    "50 MB in chunks": 1,
    "50 MB packed": 1,
    "50 MB of headers": 1,
    "429": 1,
    "429 for nonsense": 1,
    "429 for less than nothing": 1,
    "429 for nan": 1,
}
"""Weights of those that are drawn more rarely than the others, which have 10."""


def _last_answer(connection: Connection, good: bytes) -> None:
    connection.write(response(good, headers=["Connection: close"]))
    connection.close()


def _closed_after(connection: Connection, good: bytes) -> None:
    """Closes the idle connection without notice, possibly while the client reuses it."""
    connection.write(response(good))
    connection.close()


def _reset_after(connection: Connection, good: bytes) -> None:
    connection.write(response(good))
    asyncio.get_running_loop().call_later(0.01, connection.reset)


def _in_chunks(connection: Connection, good: bytes) -> None:
    parts = [good[at : at + 50] for at in range(0, len(good), 50)]
    connection.write(
        _CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    )


def _packed(connection: Connection, good: bytes) -> None:
    connection.write(response(gzip.compress(good, 1), headers=["Content-Encoding: gzip"]))


def _until_closed(connection: Connection, good: bytes) -> None:
    connection.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + good)
    connection.close()


def _after_informing(connection: Connection, good: bytes) -> None:
    connection.write(b"HTTP/1.1 100 Continue\r\n\r\n" + response(good))


GOOD: Mapping[str, Fault] = {
    "last answer": _last_answer,
    "closed after": _closed_after,
    "reset after": _reset_after,
    "in chunks": _in_chunks,
    "packed": _packed,
    "until closed": _until_closed,
    "after informing": _after_informing,
}
"""Correct answers on connections that are closed, or in an unusual form."""


REFUSALS: Mapping[str, Fault] = {
    "too long": _status(
        "400 Bad Request",
        body=b'{"error": {"message": "This model\'s maximum context length is 8 tokens.", '
        b'"type": "invalid_request_error", "code": "context_length_exceeded"}}',
    )
}
"""What no further attempt helps against; done only to requests for which it is named."""


ALL: Mapping[str, Fault] = {**FAULTS, **GOOD, **REFUSALS}


def drawn(seed: int, faults: float, odd: float, digest: str, times: int) -> str | None:
    """The name of the behaviour for the request `digest` when it is received for the `times`-th time.

    faults, odd: the shares of requests that meet one of FAULTS and of GOOD. None: a normal answer.
    """
    if not faults and not odd:
        return None
    rng = random.Random(f"{seed} {digest} {times}")
    draw = rng.random()
    if draw < faults:
        return rng.choices(list(FAULTS), weights=[_RARE.get(name, 10) for name in FAULTS])[0]
    return rng.choice(list(GOOD)) if draw < faults + odd else None
