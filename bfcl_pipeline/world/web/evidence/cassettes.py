"""Cassettes, written and read by vcrpy, in memory.

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
from vcr.serialize import deserialize, serialize
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


class CheckedSerializer:
    """vcrpy's serializer for YAML, for documents that may not be cassettes."""

    @staticmethod
    def deserialize(content: bytes) -> dict[str, Any]:
        """The document of a cassette. Raises ValueError for anything else."""
        if len(content) > LARGEST_CASSETTE_BYTES:
            raise ValueError(f"not a cassette: more than {LARGEST_CASSETTE_BYTES:,} bytes")
        try:
            document = read_yaml(content, tags=_TAGS)
        except UnreadableYaml as error:
            raise ValueError(f"not a cassette: {error}") from error
        match document:
            case {"interactions": list(interactions)}:
                unanswered = _list_unanswered(document)
                return {
                    "interactions": [_checked_interaction(one) for one in interactions],
                    "metadata": {UNANSWERED: [_checked_unanswered(one) for one in unanswered]},
                }
        raise ValueError("not a cassette: no list of interactions")


_TAGS = {"binary": lambda value: b64decode(_text(value, "a tagged value"))}
"""The tag that vcrpy writes for bytes that are not text."""


def _list_unanswered(document: dict[Any, Any]) -> list[Any]:
    metadata = _mapping(document.get("metadata") or {}, "metadata")
    match metadata.get(UNANSWERED, []):
        case list(unanswered):
            return unanswered
    raise ValueError("not a cassette: its unanswered requests are not a list")


def _checked_interaction(interaction: Any) -> dict[str, Any]:
    match interaction:
        case {
            "request": request,
            "response": {
                "status": {"code": int(code), **status},
                "headers": headers,
                "body": {"string": str() | bytes() as body},
            },
        } if 100 <= code <= 999:
            reason = status.get("message") or ""
            return {
                "request": _checked_request(request),
                "response": {
                    "status": {"code": int(code), "message": _text(reason, "a reason")},
                    "headers": _checked_headers(headers),
                    "body": {"string": body if isinstance(body, bytes) else _encoded(body)},
                },
            }
    raise ValueError("not a cassette: an interaction without request, status, headers or body")


def _checked_unanswered(one: Any) -> dict[str, Any]:
    match one:
        case {"request": request, "error": str(error)}:
            return {"request": _checked_request(request), "error": error}
    raise ValueError("not a cassette: an unanswered request without its error")


def _checked_request(request: Any) -> dict[str, Any]:
    match request:
        case {"method": str(method), "uri": str(uri), "body": body, "headers": headers}:
            if body is not None and not isinstance(body, bytes):
                body = _encoded(_text(body, "the body of a request"))
            try:
                urlsplit(uri)
            except ValueError as error:
                raise ValueError("not a cassette: an address that is not one") from error
            return {"method": method, "uri": uri, "body": body, "headers": _checked_headers(headers)}
    raise ValueError("not a cassette: a request without method, address, body or headers")


def _checked_headers(headers: Any) -> dict[str, list[str]]:
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


def read_cassette(content: bytes) -> list[HttpExchange]:
    """The exchanges of a cassette, which vcrpy may have recorded; those without an answer have an error.

    Raises ValueError for anything else.
    """
    requests, responses, metadata = deserialize(content, CheckedSerializer)
    exchanges = [
        HttpExchange(
            request.method,
            request.uri,
            tuple(request.headers.items()),
            request.body,
            response["status"]["code"],
            response["status"]["message"],
            tuple((name, value) for name, values in response["headers"].items() for value in values),
            bytearray(response["body"]["string"]),
        )
        for request, response in zip(requests, responses, strict=True)
    ]
    for one in metadata[UNANSWERED]:
        request = Request(**one["request"])
        headers = tuple(request.headers.items())
        exchanges.append(
            HttpExchange(request.method, request.uri, headers, request.body, error=one["error"])
        )
    return exchanges


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
