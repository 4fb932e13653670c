"""Cassettes, written and read through vcrpy's classes, in memory.

Requests without a complete answer are the cassette's metadata `unanswered`. What is read may come from
anybody (`cassette_yaml`).

Importing this module imports vcrpy, which takes part of a second: import it where a cassette is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from vcr.cassette import Cassette
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.serialize import deserialize, serialize
from vcr.serializers import yamlserializer

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.world.web.evidence.cassette_yaml import UNANSWERED, CheckedSerializer
from bfcl_pipeline.world.web.evidence.redaction import (
    HttpRedactor,
    redact_address,
    secret_header_values,
    secret_values,
)

if TYPE_CHECKING:
    from bfcl_pipeline.world.web.evidence.tape import HttpExchange


@dataclass(frozen=True, slots=True)
class UnansweredRequest:
    """A request without a complete answer."""

    request: Request
    error: str  # why, such as `ConnectTimeout: ...`


@dataclass(frozen=True, slots=True)
class LoadedCassette:
    """A cassette that was read."""

    cassette: Cassette  # vcrpy's: requests and responses, each response played once
    unanswered: tuple[UnansweredRequest, ...]


def write_cassette(exchanges: Sequence[HttpExchange], secrets: Iterable[str] = ()) -> bytes:
    """The cassette of some exchanges as YAML in ASCII, without `secrets` and other secrets.

    An exchange with an `error` is unanswered. The same exchanges give the same bytes.
    """
    redactor = HttpRedactor([*secrets, *chain.from_iterable(map(_secrets_of, exchanges))])
    file = _InMemory()
    cassette = Cassette("", serializer=yamlserializer, persister=file)
    for exchange in exchanges:
        if exchange.error is None:
            cassette.append(Request(**_request(exchange, redactor)), _response(exchange, redactor))
    failed = [_unanswered(exchange, redactor) for exchange in exchanges if exchange.error is not None]
    if failed:
        cassette.get_metadata(UNANSWERED, failed)
    cassette._save(force=True)  # as vcrpy does at the end of a recording
    return file.content


def read_cassette(content: bytes, match_on: Sequence[Any] = ()) -> LoadedCassette:
    """The cassette in a file, by whichever version of vcrpy or of this package.

    match_on: vcrpy's matchers, functions of two requests. Raises ValueError for anything else.
    """
    cassette = Cassette.load(
        path="",
        serializer=CheckedSerializer,
        persister=_InMemory(content),
        record_mode=RecordMode.NONE,
        match_on=match_on,
    )
    unanswered = tuple(
        UnansweredRequest(Request(**one["request"]), one["error"])
        for one in cassette.get_metadata(UNANSWERED, ())
    )
    return LoadedCassette(cassette, unanswered)


class _InMemory:
    """What vcrpy calls a persister, for one cassette in memory."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content

    def save_cassette(self, _path: str, cassette: dict[str, Any], serializer: Any) -> None:
        self.content = serialize(cassette, serializer).encode("ascii")

    def load_cassette(self, _path: str, serializer: Any) -> tuple[Any, ...]:
        return tuple(deserialize(self.content, serializer))


def _secrets_of(exchange: HttpExchange) -> Iterator[str]:
    yield from secret_values(exchange.url)
    yield from secret_header_values(exchange.request_headers)


def _response(exchange: HttpExchange, redactor: HttpRedactor) -> dict[str, Any]:
    content = redactor.content(bytes(exchange.body))
    left_out = {"transfer-encoding", "content-length"} | (
        {"content-encoding"} if exchange.decompressed else set()
    )
    headers = _headers(
        ((name, value) for name, value in exchange.headers if name.lower() not in left_out), redactor
    )
    return {
        "status": {"code": exchange.status, "message": valid_unicode(redactor.text(exchange.reason))},
        "headers": {**headers, "Content-Length": [str(len(content))]},
        "body": {"string": content},
    }


def _unanswered(exchange: HttpExchange, redactor: HttpRedactor) -> dict[str, Any]:
    return {
        "request": _request(exchange, redactor),
        "error": valid_unicode(redactor.address(exchange.error or "")),
    }


def _request(exchange: HttpExchange, redactor: HttpRedactor) -> dict[str, Any]:
    body = exchange.request_body
    headers = _headers(exchange.request_headers, redactor)
    if body is not None and _is_form(headers):
        body = redact_address(body.decode("latin-1")).encode("latin-1")
    return {
        "method": exchange.method,
        "uri": valid_unicode(redactor.address(exchange.url)),
        "body": None if body is None else _readable(redactor.content(body)),
        "headers": {name: [", ".join(values)] for name, values in headers.items()},
    }


def _headers(headers: Iterable[tuple[str, str]], redactor: HttpRedactor) -> dict[str, list[str]]:
    return redactor.headers((valid_unicode(name), valid_unicode(value)) for name, value in headers)


def _is_form(headers: Mapping[str, list[str]]) -> bool:
    kinds = [
        value for name, values in headers.items() if name.lower() == "content-type" for value in values
    ]
    return any("urlencoded" in kind for kind in kinds)


def _readable(content: bytes) -> str | bytes:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content
