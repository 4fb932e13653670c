"""The YAML of cassettes that may come from anybody: bounded, without Python objects and aliases.

Covers checking the document, and that it consists of requests and responses. Cassettes of older versions of
this package hold the unanswered requests beside the interactions; those of vcrpy have none.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import yaml
from vcr.serializers import yamlserializer

from bfcl_pipeline.web.cache import LARGEST_CASSETTE_BYTES

UNANSWERED = "unanswered"
"""The name of the requests without a complete answer, in a cassette's metadata."""

_MOST_NODES = 300_000  # values in a cassette, mostly header lines; its own has some thousands
_DEEPEST = 12  # levels of a cassette; its own have eight

_TAG = "tag:yaml.org,2002:"
_BYTES_IO = "python/object/new:_io.BytesIO"  # a file that was posted
_TAGS = {
    f"{_TAG}{name}" for name in ("binary", "str", "python/str", "python/unicode", "python/tuple", _BYTES_IO)
}  # that vcrpy writes; its loader builds bytes, texts and tuples of them


class CheckedSerializer:
    """vcrpy's serializer for YAML, for documents that may not be cassettes."""

    @staticmethod
    def deserialize(content: bytes) -> dict[str, Any]:
        """The document of a cassette. Raises ValueError for anything else."""
        if len(content) > LARGEST_CASSETTE_BYTES:
            raise ValueError(f"not a cassette: more than {LARGEST_CASSETTE_BYTES:,} bytes")
        try:
            _check_yaml(content)
            document = yamlserializer.deserialize(content)
        except yaml.YAMLError as error:
            raise ValueError(f"not a cassette: not YAML ({_problem(error)})") from error
        except (ValueError, TypeError, AttributeError, LookupError) as error:  # from the value of a tag
            said = str(error)
            fitting = (
                said if said.startswith("not a cassette: ") else "not a cassette: a value of another kind"
            )
            raise ValueError(fitting) from error
        match document:
            case {"interactions": list(interactions)}:
                unanswered = _unanswered(document)
                return {
                    "interactions": [_checked_interaction(one) for one in interactions],
                    "metadata": {UNANSWERED: [_checked_unanswered(one) for one in unanswered]},
                }
        raise ValueError("not a cassette: no list of interactions")


def _unanswered(document: dict[Any, Any]) -> list[Any]:
    metadata = _mapping(document.get("metadata") or {}, "metadata")
    match document.get(UNANSWERED, metadata.get(UNANSWERED, [])):
        case list(unanswered):
            return unanswered
    raise ValueError("not a cassette: its unanswered requests are not a list")


def _check_yaml(content: bytes) -> None:
    """Raises ValueError for YAML that is not safe or not small when it is built, without building it."""
    depth = 0
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for nodes, event in enumerate(yaml.parse(content, Loader=loader)):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError(f"not a cassette: an alias in {_place(event)}")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!") and tag not in _TAGS:
            raise ValueError(f"not a cassette: the tag {ascii(tag)[:80]} in {_place(event)}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST or nodes > _MOST_NODES:
            raise ValueError(f"not a cassette: too many values, or too deep, in {_place(event)}")


def _problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or "not text"
    mark = getattr(error, "problem_mark", None)
    return ascii(problem)[1:-1][:120] + ("" if mark is None else f", line {mark.line + 1:,}")


def _place(event: yaml.Event) -> str:
    return f"line {0 if event.start_mark is None else event.start_mark.line + 1:,}"


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
            if isinstance(body, BytesIO):  # a file, as vcrpy records it
                body = body.getvalue()
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
