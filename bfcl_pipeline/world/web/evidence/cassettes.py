"""Cassettes: files of vcrpy, which writes them, read in memory.

Requests without a complete answer are the cassette's metadata `unanswered`. What is read may come from
anybody: the YAML is bounded, without Python objects and aliases, and must consist of requests and
responses. Cassettes of vcrpy have no unanswered requests.

Importing this module imports vcrpy, which takes part of a second: import it where a cassette is used.
"""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from vcr.request import Request
from vcr.serialize import serialize
from vcr.serializers import yamlserializer

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.base.yaml_reader import UnreadableYaml, read_yaml
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES
from bfcl_pipeline.world.web.evidence.redaction import (
    HttpRedactor,
    redact_address,
    secret_header_values,
    secret_values,
)
from bfcl_pipeline.world.web.evidence.tape import HttpExchange

UNANSWERED = "unanswered"
"""The name of the requests without a complete answer, in a cassette's metadata."""


_TAGS = {"binary": lambda value: b64decode(_text(value, "a tagged value"))}
"""The tag that vcrpy writes for bytes that are not text."""


def read_cassette(content: bytes) -> list[HttpExchange]:
    """The exchanges of a cassette, which vcrpy may have recorded; those without an answer have an error.

    Raises ValueError for anything else.
    """
    if len(content) > LARGEST_CASSETTE_BYTES:
        raise ValueError(f"not a cassette: more than {LARGEST_CASSETTE_BYTES:,} bytes")
    try:
        document = read_yaml(content, tags=_TAGS)
    except UnreadableYaml as error:
        raise ValueError(f"not a cassette: {error}") from error
    match document:
        case {"interactions": list(interactions)}:
            return [*map(_read_answered, interactions), *map(_read_unanswered, _list_unanswered(document))]
    raise ValueError("not a cassette: no list of interactions")


def _list_unanswered(document: dict[Any, Any]) -> list[Any]:
    metadata = _mapping(document.get("metadata") or {}, "metadata")
    match metadata.get(UNANSWERED, []):
        case list(unanswered):
            return unanswered
    raise ValueError("not a cassette: its unanswered requests are not a list")


def _read_answered(interaction: Any) -> HttpExchange:
    match interaction:
        case {
            "request": request,
            "response": {
                "status": {"code": int(code), **status},
                "headers": headers,
                "body": {"string": str() | bytes() as body},
            },
        } if 100 <= code <= 999:
            exchange = _read_request(request)
            exchange.status = int(code)
            exchange.reason = _text(status.get("message") or "", "a reason")
            named = _read_headers(headers).items()
            exchange.headers = tuple((name, value) for name, values in named for value in values)
            exchange.body = bytearray(body if isinstance(body, bytes) else _encoded(body))
            return exchange
    raise ValueError("not a cassette: an interaction without request, status, headers or body")


def _read_unanswered(one: Any) -> HttpExchange:
    match one:
        case {"request": request, "error": str(error)}:
            exchange = _read_request(request)
            exchange.error = error
            return exchange
    raise ValueError("not a cassette: an unanswered request without its error")


def _read_request(request: Any) -> HttpExchange:
    match request:
        case {"method": str(method), "uri": str(uri), "body": body, "headers": headers}:
            if body is not None and not isinstance(body, bytes):
                body = _encoded(_text(body, "the body of a request"))
            try:
                urlsplit(uri)
            except ValueError as error:
                raise ValueError("not a cassette: an address that is not one") from error
            # A request has one value of each header.
            first = tuple((name, values[0]) for name, values in _read_headers(headers).items())
            return HttpExchange(method, uri, first, body)
    raise ValueError("not a cassette: a request without method, address, body or headers")


def _read_headers(headers: Any) -> dict[str, list[str]]:
    checked = {}
    for name, values in _mapping(headers, "headers").items():
        listed = [values] if isinstance(values, str) else values
        if not isinstance(listed, list | tuple) or not listed:
            raise ValueError("not a cassette: a header without values")
        checked[_text(name, "the name of a header")] = [_text(value, "a header") for value in listed]
    return checked


def _mapping(value: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"not a cassette: {what} of another kind")  # noqa: TRY004  # one error type
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a cassette: {what} that is not text")  # noqa: TRY004  # one error type
    return value


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("not a cassette: text with half a character") from error


def write_cassette(exchanges: Sequence[HttpExchange], secrets: Iterable[str] = ()) -> bytes:
    """The cassette of some exchanges as YAML in ASCII, without `secrets` and other secrets.

    An exchange with an `error` is unanswered. The same exchanges give the same bytes.
    """
    redactor = HttpRedactor([*secrets, *chain.from_iterable(map(_secrets_of, exchanges))])
    answered = [exchange for exchange in exchanges if exchange.error is None]
    failed = [_unanswered(exchange, redactor) for exchange in exchanges if exchange.error is not None]
    cassette = {
        "requests": [Request(**_request(exchange, redactor)) for exchange in answered],
        "responses": [_response(exchange, redactor) for exchange in answered],
        "metadata": {UNANSWERED: failed} if failed else {},
    }
    written: str = serialize(cassette, yamlserializer)
    return written.encode("ascii")


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
