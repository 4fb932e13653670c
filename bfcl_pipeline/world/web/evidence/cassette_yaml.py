"""The YAML of cassettes that may come from anybody: bounded, without Python objects and aliases.

Covers checking the document, and that it consists of requests and responses. Cassettes of vcrpy have no
unanswered requests.
"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from bfcl_pipeline.base.yaml_reader import UnreadableYaml, read_yaml
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES

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
                unanswered = _unanswered(document)
                return {
                    "interactions": [_checked_interaction(one) for one in interactions],
                    "metadata": {UNANSWERED: [_checked_unanswered(one) for one in unanswered]},
                }
        raise ValueError("not a cassette: no list of interactions")


def _text_of(value: Any) -> str:
    return _text(value, "a tagged value")


def _list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a cassette: a tuple of another kind")  # noqa: TRY004  # one error type
    return value


def _file(value: Any) -> bytes:
    """The content of a posted file, as vcrpy records it."""
    match value:
        case {"state": [bytes(content), *_]}:
            return content
    raise ValueError("not a cassette: a file of another kind")


_TAGS = {
    "binary": lambda value: b64decode(_text_of(value)),
    "python/tuple": _list_of,
    "python/object/new:_io.BytesIO": _file,
    **dict.fromkeys(("str", "python/str", "python/unicode"), _text_of),
}
"""The tags that vcrpy writes."""


def _unanswered(document: dict[Any, Any]) -> list[Any]:
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
